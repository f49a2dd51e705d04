import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildClient } from './cli/packaging/build-client.ts';
import { ownEnvironment } from './cli/packaging/own-environment.ts';
import { readBuild } from './core/status/queries.ts';
import { buildConsole } from './web/build.ts';

/*
 * `npm run pack`: makes the folder `release`, which is copied to where the service runs.
 */

const run = promisify(execFile);

const ROOT = import.meta.dirname;

/** What the release has: all that the service needs to run, and the documents for those who use it and run it. */
export const COPIED = [
  'api',
  'cli',
  'core',
  'db',
  'shared',
  'worker',
  'start.ts',
  'require-node.cjs',
  'Procfile',
  '.npmrc',
  'LICENSE',
  'CHANGELOG.md',
  'docs/decisions',
  'docs/glossary.md',
  'docs/guide',
  'docs/operations',
  'docs/reference',
];

/** Files in these folders that nothing reads when the service runs. */
const LEFT_OUT = new Set(['cli/dist', 'cli/packaging', 'db/compose-owner.sh', 'db/schema.sql']);

/** The pictures of the documents. The tests that make them own them. */
export const PICTURES = { from: 'test/browser/screenshots', to: 'docs/pictures' };

/** What the release has besides, and what `npm ci` adds. */
const MADE = ['README.md', 'package.json', 'package-lock.json', 'node_modules', 'web'];

/** The commands that need nothing but the release. */
const SCRIPTS = ['start', 'api', 'worker', 'cli', 'operator', 'move-blobs', 'fetch-model'];

interface Manifest {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  [field: string]: unknown;
}

/** Whether a file or folder is copied. Hidden ones below the root, such as .DS_Store, and type declarations are not. */
function isCopied(path: string): boolean {
  const name = basename(path);
  if (LEFT_OUT.has(path) || name.endsWith('.d.ts')) return false;
  return !name.startsWith('.') || !path.includes('/');
}

/** The manifest of the release. It installs the Node on which the service runs, as the development packages do. */
async function manifest(): Promise<object> {
  const { devDependencies, scripts, ...rest } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  ) as Manifest;
  const { commit } = readBuild({ commit: null });
  return {
    ...rest,
    // Where the service reads the commit that it shows: the release is no checkout.
    ...(commit === null ? {} : { gitHead: commit }),
    // Of npm and of `npm start`, which finds the installed Node.
    engines: { node: '>=20' },
    dependencies: { ...rest.dependencies, node: devDependencies['node'] },
    scripts: Object.fromEntries(SCRIPTS.map((name) => [name, scripts[name]])),
  };
}

/** A link to a file, in Markdown: its text, and its address without the part after #. */
const LINK = /\[([^[\]]*)\]\(([^()#\s:]+)(#[^()\s]*)?\)/g;

/** Corrects the links of a document to pictures. A link to a file that the release does not have becomes its text. */
function correctLinks(path: string, text: string, release: string): string {
  const folder = dirname(path);
  return text.replaceAll(LINK, (_, words: string, address: string, part = '') => {
    const target = join(folder, address);
    if (target.startsWith(PICTURES.from)) {
      const picture = join(PICTURES.to, relative(PICTURES.from, target));
      return `[${words}](${relative(folder, picture)})`;
    }
    return existsSync(join(release, target)) ? `[${words}](${address}${String(part)})` : words;
  });
}

async function correctDocuments(release: string): Promise<void> {
  const entries = await readdir(release, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.name.endsWith('.md')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, correctLinks(relative(release, file), text, release));
  }
}

/** A folder that is not replaced. */
class NotReplaced extends Error {}

/** @throws NotReplaced if a folder has what is not of a release, such as the data of a service that runs there */
export async function assertReplaceable(output: string): Promise<void> {
  const own = new Set([...COPIED.map((path) => path.split('/')[0]), ...MADE]);
  const others = existsSync(output) ? (await readdir(output)).filter((name) => !own.has(name)) : [];
  if (others.length === 0) return;
  const names = others.map((name) => join(output, name)).join(', ');
  throw new NotReplaced(
    `${output} would be replaced, and this would be lost: ${names}. Move it elsewhere first`,
  );
}

/**
 * Makes a folder with all that the service needs to run, and nothing else. It replaces an earlier release.
 * @param output its path
 * @throws NotReplaced
 */
export async function makeRelease(output: string): Promise<void> {
  await assertReplaceable(output);
  const partial = `${output}.${process.pid}`;
  try {
    await mkdir(partial, { recursive: true });
    for (const path of COPIED) {
      await cp(join(ROOT, path), join(partial, path), {
        recursive: true,
        filter: (source) => isCopied(relative(ROOT, source)),
      });
    }
    await cp(join(ROOT, PICTURES.from), join(partial, PICTURES.to), { recursive: true });
    await cp(join(ROOT, 'cli/packaging/release-readme.md'), join(partial, 'README.md'));
    await correctDocuments(partial);
    await buildClient(join(partial, 'cli/dist/cli.tgz'));
    await buildConsole(join(partial, 'web/dist'));
    await writeFile(join(partial, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
    await cp(join(ROOT, 'package-lock.json'), join(partial, 'package-lock.json'));
    // Removes what the manifest no longer names. All versions are in the file already.
    const options = ['--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options], { cwd: partial, env: ownEnvironment() });
    await rm(output, { recursive: true, force: true });
    await rename(partial, output);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    await makeRelease(join(ROOT, 'release'));
    console.log('Made release/. To start it, run there: npm ci --omit=dev && MEMORY_API_TOKEN=… npm start');
  } catch (error) {
    if (!(error instanceof NotReplaced)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
