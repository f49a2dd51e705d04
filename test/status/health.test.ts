import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readBuild } from '../../core/status/queries.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { openTestApp } from '../support/app.ts';

const service = await openTestApp();
const { app } = service;

test('GET /v1/health returns version, commit, backend and embedder without authentication', async () => {
  const expected = {
    ok: true,
    ...readBuild(service.config),
    backend: service.database.backend,
    embedder: { mode: 'client-provided', model: 'Xenova/bge-m3', dim: 1024, serverModeEnabled: false },
  };
  for (const headers of [{}, { authorization: 'Bearer of-no-worth', 'memory-team': 'nonsense' }]) {
    const answer = await app.inject({ url: '/v1/health', headers });
    assert.equal(answer.statusCode, 200);
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.deepEqual(answer.json(), expected);
  }
  assert.equal((await app.inject({ method: 'HEAD', url: '/v1/health' })).statusCode, 200);
});

test('the commit is that of the Git checkout, or else that of the settings', async (t) => {
  const given = { commit: 'given' };
  const { version } = packageJson;
  assert.deepEqual(readBuild(given, '/nowhere'), { version, commit: 'given' });
  assert.deepEqual(readBuild({ commit: null }, '/nowhere'), { version, commit: null });
  const root = await mkdtemp(join(tmpdir(), 'checkout-'));
  t.after(() => rm(root, { recursive: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const commit = () => readBuild(given, root).commit;
  await write('.git/HEAD', `${'a'.repeat(40)}\n`);
  assert.equal(commit(), 'a'.repeat(40), 'a commit that is checked out itself');
  await write('.git/HEAD', 'ref: refs/heads/main\n');
  await write('.git/packed-refs', `# pack-refs\n${'b'.repeat(40)} refs/heads/main\n`);
  assert.equal(commit(), 'b'.repeat(40), 'a packed branch');
  await write('.git/refs/heads/main', `${'c'.repeat(40)}\n`);
  assert.equal(commit(), 'c'.repeat(40), 'a branch');
  await write('tree/.git', 'gitdir: ../.git/worktrees/tree\n');
  await write('.git/worktrees/tree/HEAD', 'ref: refs/heads/main\n');
  await write('.git/worktrees/tree/commondir', '../..\n');
  assert.equal(readBuild(given, join(root, 'tree')).commit, 'c'.repeat(40), 'a second worktree');
});

test('/livez and /readyz need no authentication and return only their state', async () => {
  for (const [url, state] of [
    ['/livez', { ok: true }],
    ['/readyz', { ok: true, writes: true }],
  ] as const) {
    const answer = await app.inject(url);
    assert.deepEqual([answer.statusCode, answer.json()], [200, state]);
  }
});

test('an app that is told to stop answers /readyz with 503, and ends the connection of every request', async () => {
  const { app: stopping } = await openTestApp();
  const before = await stopping.inject('/readyz');
  assert.deepEqual([before.statusCode, before.headers['connection']], [200, 'keep-alive']);
  stopping.draining.begin();
  for (const [url, status] of [
    ['/readyz', 503],
    ['/livez', 200],
    ['/v1/health', 200],
    ['/v1/memory/sources', 401],
    ['/nowhere', 404],
  ] as const) {
    const answer = await stopping.inject(url);
    assert.deepEqual([url, answer.statusCode, answer.headers['connection']], [url, status, 'close']);
  }
  assert.deepEqual((await stopping.inject('/readyz')).json(), { ok: false, writes: true });
});
