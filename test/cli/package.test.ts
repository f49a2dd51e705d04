import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { execFile } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';

const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const run = promisify(execFile);

const MAX_INSTALLED_BYTES = 5_000_000;

const folder = await mkdtemp(join(tmpdir(), 'cli-package-'));
after(() => rm(folder, { recursive: true }));

/** Runs a program of npm in a folder, with a cache and a configuration of its own, and without a network. */
async function npm(cwd: string, program: 'npm' | 'npx', args: string[], env: Record<string, string> = {}) {
  const { stdout } = await run(program, args, {
    cwd,
    env: {
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env['PATH']}`,
      HOME: folder,
      npm_config_cache: join(folder, 'cache'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      ...env,
    },
  });
  return stdout;
}

/** Packs the client from a copy, so that the test writes nothing in the repository. */
async function pack(): Promise<string> {
  const copy = join(folder, 'copy');
  await mkdir(copy);
  for (const part of ['cli', 'shared', 'package.json', 'LICENSE'])
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const [packed] = JSON.parse(await npm(join(copy, 'cli'), 'npm', ['pack', '--json'])) as {
    filename: string;
  }[];
  return join(copy, 'cli', String(packed?.filename));
}

/** Every file below a folder, with its size. */
async function filesBelow(path: string): Promise<{ name: string; bytes: number }[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name) => ({ name, bytes: (await stat(name)).size })));
}

describe('the package of the terminal client', () => {
  test('is installed in an empty folder without a network, and works there with npx', async () => {
    const file = await pack();
    const empty = join(folder, 'empty');
    await mkdir(empty);
    await npm(empty, 'npm', ['install', '--no-audit', '--no-fund', file]);
    const files = await filesBelow(join(empty, 'node_modules'));
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    assert.ok(bytes < MAX_INSTALLED_BYTES, `${bytes} bytes`);
    assert.deepEqual(
      files.filter(({ name }) => name.endsWith('.ts')),
      [],
    );

    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.equal(await npm(empty, 'npx', ['memory', '--version']), `${version}\n`);
    assert.match(await npm(empty, 'npx', ['memory', '--help']), /^Usage: memory <command> \[options\]$/m);
    const env = { MEMORY_API_TOKEN: API_TOKEN };
    const whoami = await npm(empty, 'npx', ['memory', 'whoami', '--url', base], env);
    assert.match(whoami, /^Owner <owner@localhost>/);
    const failed = npm(empty, 'npx', ['memory', 'whoami', '--url', base], { MEMORY_API_TOKEN: 'wrong' });
    await assert.rejects(failed, { code: 1 });
    // That needs drivers of databases, which only the service has.
    const moved = npm(empty, 'npx', ['memory', 'move', '--from', 'a', '--to', 'b']);
    await assert.rejects(moved, /a database is moved in the folder of the service/);
  });

  test('contains no code of the service, and the licenses of the packages in it', async () => {
    const copy = join(folder, 'copy', 'cli', 'dist');
    const script = await readFile(join(copy, 'memory.mjs'), 'utf8');
    const paths = [...script.matchAll(/^\/\/ (\S+\/\S+\.(?:ts|js|mjs|json))$/gm)].map(([, path]) =>
      String(path),
    );
    const [own, others] = [true, false].map((isOwn) =>
      paths.filter((path) => path.includes('node_modules/') !== isOwn),
    );
    assert.deepEqual([...new Set(own?.map((path) => path.split('/')[0]))].sort(), ['cli', 'shared']);
    const packages = new Set(others?.map((path) => path.split('node_modules/')[1]?.split('/')[0]));
    assert.ok(packages.has('typebox'));
    const licenses = await readFile(join(copy, 'LICENSE'), 'utf8');
    for (const name of packages) assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
  });
});
