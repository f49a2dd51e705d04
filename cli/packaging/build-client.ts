import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleClient, CLIENT_NODE } from './bundle-client.ts';
import { ownEnvironment } from './own-environment.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../..');

/** The fields of cli/package.json that are of use to who installs the package. */
const FIELDS = ['name', 'version', 'description', 'license', 'bin'] as const;

/** The license of a package, which must be distributed with its code. */
async function licenseOf(name: string): Promise<string> {
  const folder = join(ROOT, 'node_modules', name);
  const file = (await readdir(folder)).find((each) => each.toLowerCase().startsWith('license'));
  if (file === undefined) throw new Error(`${name} has no file with its license`);
  const { version } = await readManifest(folder);
  return `${name} ${String(version)}\n\n${await readFile(join(folder, file), 'utf8')}`;
}

async function readManifest(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
}

/** Writes the files of the package into a folder. */
async function writePackage(folder: string): Promise<void> {
  const { code, packages } = await bundleClient();
  const manifest = await readManifest(join(ROOT, 'cli'));
  const licenses = [
    await readFile(join(ROOT, 'LICENSE'), 'utf8'),
    ...(await Promise.all([...packages].sort().map(licenseOf))),
  ];
  const published = {
    ...Object.fromEntries(FIELDS.map((field) => [field, manifest[field]])),
    engines: { node: `>=${CLIENT_NODE}` },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await writeFile(join(folder, 'memory.cjs'), code, { mode: 0o755 });
  await writeFile(join(folder, 'README.md'), await readFile(join(ROOT, 'cli/README.md')));
  await writeFile(join(folder, 'LICENSE'), licenses.join('\n---\n\n'));
}

/**
 * Makes the package of the terminal client. The same files give the same bytes: `npm pack` sets the times in it.
 * @param output its path
 */
export async function buildClient(output: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'client-package-'));
  try {
    await writePackage(folder);
    const { stdout } = await run('npm', ['pack', '--json'], { cwd: folder, env: ownEnvironment() });
    const [packed] = JSON.parse(stdout) as { filename: string }[];
    await mkdir(join(output, '..'), { recursive: true });
    // Put in place at the end, so that no service reads half of it. Another disk can hold the temporary folder.
    const partial = `${output}.${process.pid}`;
    await writeFile(partial, await readFile(join(folder, String(packed?.filename))));
    await rename(partial, output);
  } finally {
    await rm(folder, { recursive: true });
  }
}
