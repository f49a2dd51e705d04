import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/*
 * `prepack` of the package: writes the terminal client as one JavaScript file, because Node runs no TypeScript below
 * `node_modules`. The file contains cli, what it imports from shared, and what these import from packages.
 */

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');
const OUTPUT = join(FOLDER, 'dist');

const { metafile, outputFiles } = await build({
  entryPoints: [join(FOLDER, 'main.ts')],
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Readable, so that a user can see what the client does.
  minify: false,
  legalComments: 'inline',
  banner: { js: '#!/usr/bin/env node' },
});

/** The names of the packages that are in the file. */
const packages = new Set(
  Object.keys(metafile.inputs)
    .map((path) => path.split('node_modules/')[1]?.split('/'))
    .filter((parts) => parts !== undefined)
    .map(([first = '', second = '']) => (first.startsWith('@') ? `${first}/${second}` : first)),
);

/** The license of a package, which must be distributed with its code. */
async function licenseOf(name: string): Promise<string> {
  const folder = join(ROOT, 'node_modules', name);
  const file = (await readdir(folder)).find((each) => each.toLowerCase().startsWith('license'));
  if (file === undefined) throw new Error(`${name} has no file with its license`);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return `${name} ${version}\n\n${await readFile(join(folder, file), 'utf8')}`;
}

const licenses = [
  await readFile(join(ROOT, 'LICENSE'), 'utf8'),
  ...(await Promise.all([...packages].sort().map(licenseOf))),
];

await rm(OUTPUT, { recursive: true, force: true });
await mkdir(OUTPUT);
await writeFile(join(OUTPUT, 'memory.mjs'), outputFiles[0]?.contents ?? '', { mode: 0o755 });
await writeFile(join(OUTPUT, 'LICENSE'), licenses.join('\n---\n\n'));
