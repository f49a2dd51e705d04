import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { send } from '../../faults/load/client.ts';
import { endProcesses } from '../../support/needs/process.ts';
import { type RunningApi, startApi, startWorker, stateOfImport } from '../processes.ts';
import { endServers, waitFor } from '../servers/debian.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type Replica, startReplica } from '../servers/replica.ts';
import { isReplicaUsable, METRICS_TOKEN, readsOn } from './metrics.ts';

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
    const { signal } = new AbortController();
    one = await startApi(env(), signal);
    two = await startApi(env(), signal);
    reader = await addReader();
    await Promise.all([untilUsable(one), untilUsable(two)]);
  });

  const env = (maxLagMs = MAX_LAG_MS) => ({
    MEMORY_DATABASE_URL: primary.url('service'),
    MEMORY_DATABASE_REPLICA_URL: replica.url('service'),
    MEMORY_REPLICA_MAX_LAG_MS: String(maxLagMs),
    MEMORY_METRICS_TOKEN: METRICS_TOKEN,
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

  /** Publishes a memory and changes its text. Returns its id. */
  async function publishTwice(title: string): Promise<string> {
    const staged = await post(one, '/v1/memory/captures', { sessionId: title, summary: `${title} was seen` });
    assert.equal(staged.status, 201, staged.text);
    const claimed = await post(one, '/v1/memory/consolidation/claim', {});
    const { batch } = claimed.json as { batch: { id: string; captures: { id: string }[] } };
    const captureIds = batch.captures.map(({ id }) => id);
    const items = [{ captureIds, action: 'publish', title, content: `The ${title} swims.` }];
    const completed = await post(one, '/v1/memory/consolidation/complete', { batchId: batch.id, items });
    assert.equal(completed.status, 200, completed.text);
    const memoryId = (completed.json as { results: { memoryId: string }[] }).results[0]?.memoryId ?? '';
    const update = { action: 'update', memoryId, version: 1, content: `The ${title} sleeps.` };
    const updated = await post(one, '/v1/memory/memories', update);
    assert.equal(updated.status, 200, updated.text);
    return memoryId;
  }

  test('versions of a memory are answered by the replica, and by the primary for who has just changed it', async (t) => {
    const memoryId = await publishTwice('marten');
    const contents = async (token?: string) => {
      const path = `/v1/memory/memories/${memoryId}/versions`;
      const { status, text, json } = await send(two.url, {
        method: 'GET',
        path,
        ...(token === undefined ? {} : { token }),
      });
      assert.equal(status, 200, text);
      return (json as { items: { content: string }[] }).items.map(({ content }) => content);
    };
    await caughtUp();
    const both = ['The marten sleeps.', 'The marten swims.'];
    assert.deepEqual(await serversOf(two, async () => assert.deepEqual(await contents(), both)), {
      replica: 1,
      primary: 0,
    });
    await pause();
    t.after(resume);
    const update = { action: 'update', memoryId, version: 2, content: 'The marten eats.' };
    assert.equal((await post(one, '/v1/memory/memories', update)).status, 200);
    const own = await serversOf(two, async () =>
      assert.deepEqual(await contents(), ['The marten eats.', ...both]),
    );
    assert.deepEqual(own, { replica: 0, primary: 1 });
    const others = await serversOf(two, async () => assert.deepEqual(await contents(reader), both));
    assert.deepEqual(others, { replica: 1, primary: 0 });
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

  test('the original of a source is read from the replica, and from the primary until the replica has it', async (t) => {
    const { signal } = new AbortController();
    const worker = await startWorker(env());
    t.after(async () => {
      worker.child.kill('SIGTERM');
      await worker.exited;
    });
    const importFile = async (text: string) => {
      const body = { items: [{ filename: `${text}.txt`, text }] };
      const accepted = await post(one, '/v1/memory/imports', body);
      assert.equal(accepted.status, 202, accepted.text);
      const [{ id = '' } = {}] = (accepted.json as { imports: { id?: string }[] }).imports;
      assert.equal(await stateOfImport(one.url, id, signal), 'completed');
      const { json } = await send(one.url, { method: 'GET', path: `/v1/memory/imports/${id}` });
      return (json as { sourceId: string }).sourceId;
    };
    const original = async (sourceId: string) => {
      const path = `/v1/memory/sources/${sourceId}/original`;
      const { status, text } = await send(two.url, { method: 'GET', path, token: reader });
      assert.equal(status, 200, text);
      return text;
    };
    const beaver = await importFile('a beaver builds');
    await caughtUp();
    const read = await serversOf(two, async () => assert.equal(await original(beaver), 'a beaver builds'));
    assert.deepEqual(read, { replica: 1, primary: 0 });
    await pause();
    t.after(resume);
    const bear = await importFile('a bear waits');
    const newer = await serversOf(two, async () => assert.equal(await original(bear), 'a bear waits'));
    assert.deepEqual(newer, { replica: 0, primary: 1 });
  });

  test('nobody finds on the replica what was moved into a client, archived, purged or unpublished', async (t) => {
    const client = await post(one, '/v1/team/clients', { name: 'Wader' });
    assert.equal(client.status, 201, client.text);
    const clientId = (client.json as { id: string }).id;
    const change = (method: string, path: string, body?: object) =>
      send(one.url, { method, path, ...(body === undefined ? {} : { body }) }, 12_000);
    const sourceOf = async (title: string) => {
      const { status, text, json } = await post(one, '/v1/memory/ingest', {
        title,
        text: `${title} is written`,
      });
      assert.equal(status, 201, text);
      return (json as { source: { id: string } }).source.id;
    };
    const [moved, archived, purged] = [
      await sourceOf('avocet'),
      await sourceOf('curlew'),
      await sourceOf('dunlin'),
    ];
    const memoryId = await publishTwice('godwit');
    const withdrawals: Readonly<Record<string, () => ReturnType<typeof send>>> = {
      avocet: () => change('PATCH', `/v1/memory/sources/${moved}`, { clientId }),
      curlew: () => change('DELETE', `/v1/memory/sources/${archived}`),
      dunlin: () => change('POST', `/v1/memory/sources/${purged}/purge`),
      godwit: () => post(one, '/v1/memory/memories', { action: 'unpublish', memoryId, version: 2 }),
    };
    t.after(resume);
    for (const [word, withdraw] of Object.entries(withdrawals)) {
      await resume();
      await caughtUp();
      const before = await serversOf(two, async () =>
        assert.equal((await titles(two, word, reader)).length, 1, word),
      );
      assert.deepEqual(before, { replica: 1, primary: 0 }, word);
      await pause();
      const withdrawn = await withdraw();
      assert.ok(withdrawn.status < 300, withdrawn.text);
      const after = await serversOf(two, async () =>
        assert.deepEqual(await titles(two, word, reader), [], word),
      );
      assert.deepEqual(after, { replica: 0, primary: 1 }, word);
    }
    await resume();
    await caughtUp();
    const again = await serversOf(two, async () => assert.deepEqual(await titles(two, 'avocet', reader), []));
    assert.deepEqual(again, { replica: 1, primary: 0 });
  });

  test('a replica that lags too long, is gone or was promoted is not read, and is read again after that', async (t) => {
    const strict = await startApi(env(500), new AbortController().signal);
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
