import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleClient } from './bundle.ts';

/*
 * `prepack` of the package: writes the terminal client as one file, with the licenses of the packages in it.
 */

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, '..');
const OUTPUT = join(FOLDER, 'dist');

const { code, packages } = await bundleClient();

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
await writeFile(join(OUTPUT, 'memory.mjs'), code, { mode: 0o755 });
await writeFile(join(OUTPUT, 'LICENSE'), licenses.join('\n---\n\n'));
