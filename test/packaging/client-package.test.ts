import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { parse } from 'acorn';
import { buildClient } from '../../cli/packaging/build-client.ts';
import { bundleClient } from '../../cli/packaging/bundle-client.ts';
import { commandOf, hookInput, readJson } from '../cli/hooks/hook-runs.ts';
import { openTestApp } from '../support/app.ts';
import { execFile } from '../support/needs/command.ts';
import { nodeFolder, OLDEST_NODE } from '../support/node-versions.ts';
import { ROOT } from '../support/root.ts';

const run = promisify(execFile);

const MAX_PACKED_BYTES = 500_000;
const MAX_INSTALLED_BYTES = 2_000_000;

/** Where `npm run build` puts it, from where the service serves it. */
const BUILT = join(ROOT, 'cli/dist/cli.tgz');
// Of the sources as they are now: before the service reads it.
await buildClient(BUILT);
const service = await openTestApp();
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });

const folder = await mkdtemp(join(tmpdir(), 'cli-package-'));
after(() => rm(folder, { recursive: true }));

/** Every file below a folder, with its size. */
async function filesBelow(path: string): Promise<{ name: string; bytes: number }[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name) => ({ name, bytes: (await stat(name)).size })));
}

interface Member {
  /** Runs a program. */
  run: (program: string, args: string[], input?: string) => Promise<string>;
  home: string;
  /** The folder of global packages. */
  prefix: string;
}

/**
 * A member with a version of Node and an empty home. Nothing can be downloaded from a registry.
 * @param node the folder of its executable
 */
async function memberWith(node: string, token: string): Promise<Member> {
  const home = await mkdtemp(join(folder, 'home-'));
  const prefix = join(home, 'global');
  const env = {
    PATH: [join(prefix, 'bin'), node, process.env['PATH']].join(delimiter),
    HOME: home,
    npm_config_prefix: prefix,
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_update_notifier: 'false',
    MEMORY_API_PUBLIC_URL: base,
    MEMORY_API_TOKEN: token,
    // Enough on any machine.
    MEMORY_HOOK_TIMEOUT_MS: '100000',
  };
  return {
    home,
    prefix,
    run: async (program, args, input = '') => {
      const running = run(program, args, { cwd: home, env });
      running.child.stdin?.end(input);
      return (await running).stdout;
    },
  };
}

const NODES = {
  [OLDEST_NODE]: await nodeFolder(OLDEST_NODE),
  [process.versions.node]: dirname(process.execPath),
};

describe('the package of the terminal client', () => {
  for (const [version, node] of Object.entries(NODES))
    test(`is installed from a running service with one command on Node ${version}, and works there`, async () => {
      const { token } = await service.company();
      const member = await memberWith(node, token);
      assert.equal(await member.run('node', ['--version']), `v${version}\n`);

      await member.run('npm', ['install', '-g', `${base}/cli.tgz`]);

      const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      assert.equal(await member.run('memory', ['--version']), `${manifest.version}\n`);
      assert.match(await member.run('memory', ['--help']), /^Usage: memory <command> \[options\]$/m);
      assert.match(await member.run('memory', ['whoami']), /^using MEMORY_API_TOKEN/m);
      const text = 'The payment gateway waits 40 seconds before it retries.';
      await member.run('memory', ['ingest', '--title', 'Retries', '-'], text);
      assert.match(await member.run('memory', ['search', 'payment', 'gateway']), /waits 40 seconds/);

      await mkdir(join(member.home, 'workspace', 'team'), { recursive: true });
      await writeFile(join(member.home, 'workspace', 'team', 'notes.md'), 'Notes.\n');
      assert.match(await member.run('memory', ['sync', 'workspace']), /notes\.md/);
      await member.run('memory', ['hook', 'install', 'claude-code']);
      const hooks = await readJson(join(member.home, '.claude', 'settings.json'));
      const command = commandOf(hooks, 'UserPromptSubmit');
      const prompt = await hookInput('claude-code', 'user-prompt-submit');
      assert.match(await member.run('sh', ['-c', command], prompt), /waits 40 seconds/);
    });

  test('is one file without dependencies, install scripts and code of the service', async () => {
    const member = await memberWith(dirname(process.execPath), '');
    await member.run('npm', ['install', '-g', `${base}/cli.tgz`]);
    const installed = join(member.prefix, 'lib', 'node_modules', 'team-memory-cli');
    const files = await filesBelow(join(installed, '..'));
    assert.deepEqual(
      files.map(({ name }) => name).sort(),
      ['LICENSE', 'README.md', 'memory.cjs', 'package.json'].map((name) => join(installed, name)),
    );
    const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
    assert.ok(bytes < MAX_INSTALLED_BYTES, `${bytes} bytes`);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
    assert.deepEqual(Object.keys(manifest), ['name', 'version', 'description', 'license', 'bin', 'engines']);

    const script = await readFile(join(installed, 'memory.cjs'), 'utf8');
    const paths = [...script.matchAll(/^\/\/ (\S+\/\S+\.(?:ts|js|mjs|json))$/gm)].map(([, path]) =>
      String(path),
    );
    const [own, others] = [true, false].map((isOwn) =>
      paths.filter((path) => path.includes('node_modules/') !== isOwn),
    );
    assert.deepEqual([...new Set(own?.map((path) => path.split('/')[0]))].sort(), ['cli', 'shared']);
    const packages = new Set(others?.map((path) => path.split('node_modules/')[1]?.split('/')[0]));
    assert.ok(packages.has('typebox'));
    const licenses = await readFile(join(installed, 'LICENSE'), 'utf8');
    for (const name of packages) assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
    // That needs drivers of databases, which only the service has.
    const moved = member.run('memory', ['move', '--from', 'a', '--to', 'b']);
    await assert.rejects(moved, /a database is moved in the folder of the service/);
  });

  test('has the same bytes each time that it is built, and its SHA-256 is that of the service', async () => {
    const again = join(folder, 'again.tgz');
    await buildClient(again);
    const bytes = await readFile(again);
    assert.ok(bytes.length < MAX_PACKED_BYTES, `${bytes.length} bytes`);
    assert.ok(bytes.equals(await readFile(BUILT)));
    const { body } = await service.app.inject('/cli.tgz.sha256');
    assert.equal(body, `${createHash('sha256').update(bytes).digest('hex')}  cli.tgz\n`);
  });

  test('says in one line that an older Node is too old, in words that this Node can read', async () => {
    const { code } = await bundleClient();
    const script = Buffer.from(code).toString();
    // Node reads the whole file before it runs the first line. This is the JavaScript of Node 12,
    // which has import() too.
    parse(script.replaceAll(' import(', ' load('), {
      ecmaVersion: 2019,
      sourceType: 'script',
      allowHashBang: true,
    });
    const [beginning = ''] = script.split('var FILE_URL');
    parse(beginning, { ecmaVersion: 5, sourceType: 'script', allowHashBang: true });
    for (const version of ['12.22.12', '18.20.8', '20.18.3', '20.19.0', '22.0.0']) {
      const ended = runAs(version, beginning);
      const isOld = !version.startsWith('20.19') && !version.startsWith('22.');
      assert.deepEqual(
        ended,
        isOld
          ? [1, `memory: Node 20.19 or later is required, not ${version}: install it from https://nodejs.org`]
          : [0, ''],
        version,
      );
    }
  });
});

/** Runs the first lines of the program as a version of Node. Returns the exit code, and what was printed. */
function runAs(version: string, lines: string): [number, string] {
  const printed: string[] = [];
  let code = 0;
  const process = {
    versions: { node: version },
    exit: (status: number) => {
      code = status;
    },
  };
  const console = { error: (line: string) => printed.push(line) };
  runInNewContext(lines, { process, console });
  return [code, printed.join('\n')];
}
