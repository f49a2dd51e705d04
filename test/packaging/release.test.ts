import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { AnyNode } from 'acorn';
import { readBuild } from '../../core/status/queries.ts';
import { assertReplaceable, makeRelease } from '../../pack.ts';
import { execFile } from '../support/needs/command.ts';
import {
  endProcesses,
  printedUrl,
  serviceFolder,
  startCommand,
  temporaryFolder,
} from '../support/needs/process.ts';
import { ROOT } from '../support/root.ts';
import { nodesIn, parseModule } from '../support/syntax.ts';

const run = promisify(execFile);

after(endProcesses);

const release = join(await temporaryFolder(), 'release');
await makeRelease(release);

const read = (path: string) => readFileSync(join(release, path), 'utf8');

interface Manifest {
  dependencies: Record<string, string>;
  scripts: Record<string, string>;
}
const manifest = JSON.parse(read('package.json')) as Manifest;
const repository = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest & {
  devDependencies: Record<string, string>;
};

/** The scripts of the service and of its pages. Those in the documents are for the reader. */
const SCRIPTS = globSync('**/*.{ts,js,cjs}', { cwd: release, exclude: ['docs'] });

/**
 * What a script needs when it runs: what it imports, and the files and packages that it names by their address, such as
 * those of threads.
 */
const neededBy = (script: string) =>
  [...nodesIn(parseModule(read(script), script.endsWith('.ts')).tree)].flatMap((node) => {
    const isCall = node.type === 'CallExpression' && isResolve(node.callee);
    const isAddress = node.type === 'NewExpression' && isNamed(node.callee, 'URL');
    const named = 'source' in node ? node.source : isCall || isAddress ? node.arguments[0] : null;
    if (named?.type !== 'Literal' || typeof named.value !== 'string') return [];
    return isAddress && !named.value.startsWith('.') ? [] : [named.value];
  });

const isNamed = (node: AnyNode, name: string) => node.type === 'Identifier' && node.name === name;
const isResolve = (node: AnyNode) =>
  isNamed(node, 'require') || (node.type === 'MemberExpression' && node.object.type === 'MetaProperty');

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

describe('the release', () => {
  test('has what the service needs, and no tests, development files, data or settings', async () => {
    assert.deepEqual((await readdir(release)).sort(), [
      '.npmrc',
      'CHANGELOG.md',
      'LICENSE',
      'Procfile',
      'README.md',
      'api',
      'cli',
      'core',
      'db',
      'docs',
      'package-lock.json',
      'package.json',
      'require-node.cjs',
      'shared',
      'start.ts',
      'web',
      'worker',
    ]);
    const files = (await readdir(release, { recursive: true })).map((path) => basename(path));
    const wrong = files.filter((name) => /\.test\.|\.d\.ts$|^tsconfig|^\..|\.(?:log|env|map)$/.test(name));
    assert.deepEqual(wrong.sort(), ['.npmrc']);
  });

  test('has every file that its scripts name, and every package that they import', () => {
    const isMissing = (script: string, name: string) => {
      if (!name.startsWith('.')) return !isBuiltin(name) && !(packageOf(name) in manifest.dependencies);
      const file = join(dirname(script), name);
      // The service itself makes some scripts of its pages.
      return existsSync(join(ROOT, file)) && !existsSync(join(release, file));
    };
    const missing = SCRIPTS.flatMap((script) =>
      neededBy(script)
        .filter((name) => isMissing(script, name))
        .map((name) => `${script}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  test('has only commands that its scripts can run', () => {
    assert.ok(manifest.scripts['start']);
    for (const [name, command] of Object.entries(manifest.scripts)) {
      assert.equal(command, repository.scripts[name]);
      for (const file of command.match(/[\w/-]+\.c?[tj]s/g) ?? [])
        assert.ok(existsSync(join(release, file)), file);
    }
  });

  test('has a lock file that npm ci accepts, without development packages except Node', async () => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    assert.deepEqual(
      Object.entries(lock.packages).filter(([, { dev }]) => dev === true),
      [],
    );
    assert.equal(manifest.dependencies['node'], repository.devDependencies['node']);
    assert.deepEqual(
      Object.keys(repository.devDependencies).filter((name) => name in manifest.dependencies),
      ['node'],
    );
    const options = ['--omit=dev', '--dry-run', '--offline', '--ignore-scripts', '--no-audit'];
    await run('npm', ['ci', ...options], { cwd: release });
  });

  test('replaces an earlier one, but no folder with the data or the settings of a service', async () => {
    await assertReplaceable(release);
    const used = join(await temporaryFolder(), 'release');
    await mkdir(join(used, '.data'), { recursive: true });
    await mkdir(join(used, 'node_modules'));
    await writeFile(join(used, '.env'), '');
    await assert.rejects(makeRelease(used), {
      message: `${used} would be replaced, and this would be lost: ${used}/.data, ${used}/.env. Move it elsewhere first`,
    });
    assert.deepEqual((await readdir(used)).sort(), ['.data', '.env', 'node_modules']);
  });

  test('starts with npm start, shows its commit, and serves its pages and the terminal client', async () => {
    await symlink(join(ROOT, 'node_modules'), join(release, 'node_modules'));
    const data = join(await serviceFolder(), '.data');
    const env = { MEMORY_API_PORT: '0', MEMORY_DATA_DIR: data };
    const url = await printedUrl(startCommand('npm', ['start'], { cwd: release, env }));
    const get = (path: string) => fetch(new URL(path, url));
    const health = (await (await get('/v1/health')).json()) as { ok: boolean; commit: string };
    assert.deepEqual([health.ok, health.commit], [true, readBuild({ commit: null }).commit]);
    for (const path of ['/', '/reset', '/docs/', '/cli.tgz', '/cli.tgz.sha256'])
      assert.equal((await get(path)).status, 200, path);
  });
});
