import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { send } from '../faults/load/client.ts';
import { endProcesses } from '../support/needs/process.ts';
import { type RunningApi, startApi } from './processes.ts';
import { isReplicaUsable, METRICS_TOKEN, readsOn } from './replica-metrics.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { type PostgresServer, startPostgres } from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

after(endServers);
after(endProcesses);

const MAX_LAG_MS = 60_000;

describe('reads from a replica', () => {
  let primary: PostgresServer;
  let replica: Replica;
  /** Two processes, so that what one has written is read by the other. */
  let one: RunningApi;
  let two: RunningApi;
  /** A person who has changed nothing. */
  let reader: string;

  before(async () => {
    primary = await startPostgres();
    await primary.createDatabase('service');
    replica = await startReplica(primary);
    const env = {
      MEMORY_DATABASE_URL: primary.url('service'),
      MEMORY_DATABASE_REPLICA_URL: replica.url('service'),
      MEMORY_REPLICA_MAX_LAG_MS: String(MAX_LAG_MS),
      MEMORY_METRICS_TOKEN: METRICS_TOKEN,
    };
    const { signal } = new AbortController();
    one = await startApi(env, signal);
    two = await startApi(env, signal);
    reader = await addReader();
    await Promise.all([untilUsable(one), untilUsable(two)]);
  });

  const post = (api: RunningApi, path: string, body: object, token?: string) =>
    send(api.url, { method: 'POST', path, body, ...(token === undefined ? {} : { token }) }, 12_000);

  /** Invites a member, who accepts and gets the session of a person with no changes. */
  async function addReader(): Promise<string> {
    const email = 'reader@example.com';
    const invite = await post(one, '/v1/team/invites', { email, role: 'member' });
    assert.equal(invite.status, 201, invite.text);
    const { token } = invite.json as { token: string };
    const joined = await post(one, '/v1/auth/join', {
      token,
      name: 'Reader',
      password: 'a long password of a test',
    });
    assert.equal(joined.status, 201, joined.text);
    return (joined.json as { token: string }).token;
  }

  const untilUsable = (api: RunningApi) => waitFor(() => isReplicaUsable(api));

  const write = async (api: RunningApi, title: string) => {
    const written = await post(api, '/v1/memory/ingest', { title, text: `${title} is written` });
    assert.equal(written.status, 201, written.text);
  };
  const search = async (api: RunningApi, query: string, token?: string) => {
    const found = await post(api, '/v1/memory/search', { query, embeddingMode: 'keyword', scope: {} }, token);
    assert.equal(found.status, 200, found.text);
    return found.json as { queryId: string; hits: { chunk_id: string; title: string }[] };
  };
  const titles = async (api: RunningApi, query: string, token?: string) =>
    (await search(api, query, token)).hits.map(({ title }) => title);

  /** Which server has answered the reads of `run`. */
  async function serversOf(api: RunningApi, run: () => Promise<unknown>) {
    const before = await readsOn(api);
    await run();
    const reads = await readsOn(api);
    return { replica: reads.replica - before.replica, primary: reads.primary - before.primary };
  }

  /** Waits until the replica has all that the primary has. */
  async function caughtUp(): Promise<void> {
    const [row] = await primary.query('select pg_current_wal_insert_lsn()::text as at');
    await waitFor(async () => {
      const [seen] = await replica.query(
        `select pg_last_wal_replay_lsn() >= '${String(row?.['at'])}' as has`,
      );
      return seen?.['has'] === true;
    });
  }
  const pause = async () => {
    await replica.query('select pg_wal_replay_pause()');
    await waitFor(async () => {
      const [row] = await replica.query('select pg_get_wal_replay_pause_state() as state');
      return row?.['state'] === 'paused';
    });
  };
  const resume = () => replica.query('select pg_wal_replay_resume()');

  test('searches, expand, lists and the manifest are answered by the replica, and the event is on the primary', async () => {
    await write(one, 'otter');
    await caughtUp();
    let answer: Awaited<ReturnType<typeof search>> | undefined;
    const servers = await serversOf(two, async () => {
      answer = await search(two, 'otter', reader);
      const chunk = { chunkId: answer.hits[0]?.chunk_id };
      assert.equal((await post(two, '/v1/memory/expand', chunk, reader)).status, 200);
      for (const path of [
        '/v1/memory/sources',
        '/v1/memory/captures',
        '/v1/memory/tags',
        '/v1/workspace/manifest',
      ]) {
        const listed = await send(two.url, { method: 'GET', path, token: reader });
        assert.equal(listed.status, 200, listed.text);
      }
    });
    assert.deepEqual(servers, { replica: 6, primary: 0 });
    const [event] = await primary.query(
      `select count(*)::int as events from memory.audit_event where kind = 'memory.search' and subject_id = '${answer?.queryId}'`,
      'service',
    );
    assert.deepEqual(event, { events: 1 });
  });

  test('explanations, memories, versions of files and their contents are answered by the replica too', async () => {
    const text = 'an otter swims';
    const sha256 = createHash('sha256').update(text).digest('hex');
    const path = 'team/otter.md';
    const contentBase64 = Buffer.from(text).toString('base64');
    const pushed = await post(one, '/v1/workspace/push', {
      files: [{ path, baseVersion: 0, contentBase64, sha256 }],
    });
    assert.equal(pushed.status, 200, pushed.text);
    await caughtUp();
    const servers = await serversOf(two, async () => {
      const query = { query: 'otter', embeddingMode: 'keyword', scope: {}, explain: true };
      assert.equal((await post(two, '/v1/memory/search', query)).status, 200);
      for (const list of ['/v1/memory/memories?state=review', `/v1/workspace/versions?path=${path}`]) {
        const listed = await send(two.url, { method: 'GET', path: list });
        assert.equal(listed.status, 200, listed.text);
      }
      const pulled = await post(two, '/v1/workspace/pull', { files: [{ path }] });
      assert.equal(pulled.status, 200, pulled.text);
    });
    assert.deepEqual(servers, { replica: 4, primary: 0 });
  });

  test('feedback on a search that the replica has answered is stored at once', async () => {
    const { queryId, hits } = await search(two, 'otter', reader);
    const body = { queryId, chunkId: hits[0]?.chunk_id, verdict: 'useful' };
    const given = await post(two, '/v1/memory/feedback', body, reader);
    assert.equal(given.status, 201, given.text);
  });

  test('a caller sees its own changes by any process, and others see them when the replica has them', async (t) => {
    await caughtUp();
    await pause();
    t.after(resume);
    await write(one, 'heron');
    const own = await serversOf(two, async () => assert.deepEqual(await titles(two, 'heron'), ['heron']));
    assert.deepEqual(own, { replica: 0, primary: 1 });
    const others = await serversOf(two, async () =>
      assert.deepEqual(await titles(two, 'otter', reader), ['otter']),
    );
    assert.deepEqual(others, { replica: 1, primary: 0 });
    await resume();
    await caughtUp();
    const again = await serversOf(two, async () => assert.deepEqual(await titles(two, 'heron'), ['heron']));
    assert.deepEqual(again, { replica: 1, primary: 0 });
  });

  test('files are pulled as the caller has listed them, although the replica does not have them yet', async (t) => {
    await caughtUp();
    await pause();
    t.after(resume);
    const content = Buffer.from('a heron stands').toString('base64');
    const sha256 = createHash('sha256').update('a heron stands').digest('hex');
    const files = [{ path: 'team/heron.md', baseVersion: 0, contentBase64: content, sha256 }];
    const pushed = await post(one, '/v1/workspace/push', { files });
    assert.equal(pushed.status, 200, pushed.text);
    const { revision } = pushed.json as { revision: number };
    const manifest = async (query: string) => {
      const { json } = await send(two.url, {
        method: 'GET',
        path: `/v1/workspace/manifest${query}`,
        token: reader,
      });
      return json as { revision: number; items: { path: string }[] };
    };
    const paths = (await manifest('')).items.map((item) => item.path);
    assert.deepEqual(paths, ['team/otter.md']);
    // Someone who has seen a revision gets no older one, and would otherwise miss what is between them.
    const seen = await manifest(`?since=${revision}`);
    assert.deepEqual([seen.revision, seen.items], [revision, []]);
    const pulled = await post(two, '/v1/workspace/pull', { files: [{ path: 'team/heron.md' }] }, reader);
    assert.equal((pulled.json as { files: { contentBase64: string }[] }).files[0]?.contentBase64, content);
  });

  test('a replica that lags too long, is gone or was promoted is not read, and is read again after that', async (t) => {
    const env = {
      MEMORY_DATABASE_URL: primary.url('service'),
      MEMORY_DATABASE_REPLICA_URL: replica.url('service'),
      MEMORY_REPLICA_MAX_LAG_MS: '500',
      MEMORY_METRICS_TOKEN: METRICS_TOKEN,
    };
    const strict = await startApi(env, new AbortController().signal);
    await untilUsable(strict);
    const untilUnusable = () => waitFor(async () => !(await isReplicaUsable(strict)));
    await pause();
    t.after(() => resume().catch(() => undefined));
    await write(one, 'bittern');
    await untilUnusable();
    assert.deepEqual(await titles(strict, 'bittern', reader), ['bittern']);
    await resume();
    await untilUsable(strict);
    const back = await serversOf(strict, async () =>
      assert.deepEqual(await titles(strict, 'bittern', reader), ['bittern']),
    );
    assert.deepEqual(back, { replica: 1, primary: 0 });
    await replica.crash();
    assert.deepEqual(await titles(strict, 'bittern', reader), ['bittern']);
    await untilUnusable();
    await replica.start();
    await untilUsable(strict);
    await replica.promote();
    await untilUnusable();
    assert.deepEqual(await titles(strict, 'bittern', reader), ['bittern']);
  });
});
