import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Caller } from '../../support/client/client.ts';
import { callerAt } from '../../support/client/remote.ts';
import { endProcesses } from '../../support/needs/process.ts';
import { file } from '../../support/workspace.ts';
import { importText, type RunningApi, startApi, startWorker } from '../processes.ts';
import { endServers, waitFor } from '../servers/debian.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type Replica, startReplica } from '../servers/replica.ts';
import { isReplicaUsable, METRICS_TOKEN, readsOn } from './metrics.ts';

after(endServers);
after(endProcesses);

const MAX_LAG_MS = 60_000;
/** Which server has answered one read. */
const [ON_REPLICA, ON_PRIMARY] = [
  { replica: 1, primary: 0 },
  { replica: 0, primary: 1 },
];

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
  const at = (api: RunningApi) => callerAt(api.url, reader);

  /** Invites a member, who accepts and gets the session of a person with no changes. */
  async function addReader(): Promise<string> {
    const { token } = await one.owner.api.createInvite({ email: 'reader@example.com', role: 'member' });
    const password = 'a long password of a test';
    return (await one.owner.api.joinTeam({ token, name: 'Reader', password })).token!;
  }

  const untilUsable = (api: RunningApi) => waitFor(() => isReplicaUsable(api));

  const write = async ({ owner }: RunningApi, title: string) =>
    (await owner.api.ingestSource({ title, text: `${title} is written` })).source.id;
  const search = ({ api }: Caller, query: string) =>
    api.searchMemory({ query, embeddingMode: 'keyword', scope: {} });
  const titles = async (caller: Caller, query: string) =>
    (await search(caller, query)).hits.map(({ title }) => title);

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
      const { api } = at(two);
      answer = await search(at(two), 'otter');
      await api.expandChunk({ chunkId: answer.hits[0]?.chunk_id ?? '' });
      for (const list of [api.listSources, api.listCaptures, api.listTags, api.getManifest]) await list();
    });
    assert.deepEqual(servers, { replica: 6, primary: 0 });
    const [event] = await primary.query(
      `select count(*)::int as events from memory.audit_event where kind = 'memory.search' and subject_id = '${answer?.queryId}'`,
      'service',
    );
    assert.deepEqual(event, { events: 1 });
  });

  test('explanations, memories, versions of files and their contents are answered by the replica too', async () => {
    const path = 'team/otter.md';
    await one.owner.api.pushFiles({ files: [file(path, 'an otter swims')] });
    await caughtUp();
    const servers = await serversOf(two, async () => {
      const { api } = two.owner;
      await api.searchMemory({ query: 'otter', embeddingMode: 'keyword', scope: {}, explain: true });
      await api.listMemories({ state: 'review' });
      await api.listFileVersions({ path });
      await api.pullFiles({ files: [{ path }] });
    });
    assert.deepEqual(servers, { replica: 4, primary: 0 });
  });

  /** Publishes a memory and changes its text. Returns its id. */
  async function publishTwice(title: string): Promise<string> {
    const { api } = one.owner;
    await api.stageCapture({ sessionId: title, summary: `${title} was seen` });
    const { batch } = await api.claimCaptures({});
    assert.ok(batch);
    const captureIds = batch.captures.map(({ id }) => id);
    const items = [{ captureIds, action: 'publish' as const, title, content: `The ${title} swims.` }];
    const { results } = await api.completeCaptures({ batchId: batch.id, items });
    const memoryId = results[0]?.memoryId ?? '';
    await api.decideMemory({ action: 'update', memoryId, version: 1, content: `The ${title} sleeps.` });
    return memoryId;
  }

  test('versions of a memory are answered by the replica, and by the primary for who has just changed it', async (t) => {
    const memoryId = await publishTwice('marten');
    const assertContents = (caller: Caller, expected: string[]) =>
      serversOf(two, async () => {
        const { items } = await caller.api.listMemoryVersions(memoryId);
        assert.deepEqual(
          items.map(({ content }) => content),
          expected,
        );
      });
    await caughtUp();
    const both = ['The marten sleeps.', 'The marten swims.'];
    assert.deepEqual(await assertContents(two.owner, both), ON_REPLICA);
    await pause();
    t.after(resume);
    const content = 'The marten eats.';
    await one.owner.api.decideMemory({ action: 'update', memoryId, version: 2, content });
    assert.deepEqual(await assertContents(two.owner, [content, ...both]), ON_PRIMARY);
    assert.deepEqual(await assertContents(at(two), both), ON_REPLICA);
  });

  test('feedback on a search that the replica has answered is stored at once', async () => {
    const { queryId, hits } = await search(at(two), 'otter');
    await at(two).api.giveFeedback({ queryId, chunkId: hits[0]?.chunk_id ?? '', verdict: 'useful' });
  });

  /** Which server answers a search, which must find these titles. */
  const serversOfSearch = (caller: Caller, query: string, expected: string[]) =>
    serversOf(two, async () => assert.deepEqual(await titles(caller, query), expected, query));

  test('a caller sees its own changes by any process, and others see them when the replica has them', async (t) => {
    await caughtUp();
    await pause();
    t.after(resume);
    await write(one, 'heron');
    assert.deepEqual(await serversOfSearch(two.owner, 'heron', ['heron']), ON_PRIMARY);
    assert.deepEqual(await serversOfSearch(at(two), 'otter', ['otter']), ON_REPLICA);
    await resume();
    await caughtUp();
    assert.deepEqual(await serversOfSearch(two.owner, 'heron', ['heron']), ON_REPLICA);
  });

  test('files are pulled as the caller has listed them, although the replica does not have them yet', async (t) => {
    await caughtUp();
    await pause();
    t.after(resume);
    const heron = file('team/heron.md', 'a heron stands');
    const { revision } = await one.owner.api.pushFiles({ files: [heron] });
    const { api } = at(two);
    const { items } = await api.getManifest();
    assert.deepEqual(
      items.map(({ path }) => path),
      ['team/otter.md'],
    );
    // Someone who has seen a revision gets no older one, and would otherwise miss what is between them.
    const seen = await api.getManifest({ since: revision });
    assert.deepEqual([seen.revision, seen.items], [revision, []]);
    const { files } = await api.pullFiles({ files: [{ path: heron.path }] });
    assert.equal(files[0]?.contentBase64, heron.contentBase64);
  });

  test('the original of a source is read from the replica, and from the primary until the replica has it', async (t) => {
    const worker = await startWorker(env());
    t.after(async () => {
      worker.child.kill('SIGTERM');
      await worker.exited;
    });
    const importFile = async (name: string) => {
      const { state, sourceId } = await importText(one, name, t.signal);
      assert.equal(state, 'completed');
      return sourceId ?? '';
    };
    const original = (sourceId: string, text: string) =>
      serversOf(two, async () => assert.equal(await at(two).api.getOriginal(sourceId), text));
    const beaver = await importFile('beaver.txt');
    await caughtUp();
    assert.deepEqual(await original(beaver, 'beaver.txt'), ON_REPLICA);
    await pause();
    t.after(resume);
    const bear = await importFile('bear.txt');
    assert.deepEqual(await original(bear, 'bear.txt'), ON_PRIMARY);
  });

  test('nobody finds on the replica what was moved into a client, archived, purged or unpublished', async (t) => {
    const { api } = one.owner;
    const { id: clientId } = await api.createClient({ name: 'Wader' });
    const [moved, archived, purged] = [
      await write(one, 'avocet'),
      await write(one, 'curlew'),
      await write(one, 'dunlin'),
    ];
    const memoryId = await publishTwice('godwit');
    const withdrawals: Readonly<Record<string, () => Promise<unknown>>> = {
      avocet: () => api.changeSource(moved, { clientId }),
      curlew: () => api.archiveSource(archived),
      dunlin: () => api.purgeSource(purged),
      godwit: () => api.decideMemory({ action: 'unpublish', memoryId, version: 2 }),
    };
    t.after(resume);
    for (const [word, withdraw] of Object.entries(withdrawals)) {
      await resume();
      await caughtUp();
      assert.deepEqual(await serversOfSearch(at(two), word, [word]), ON_REPLICA, word);
      await pause();
      await withdraw();
      assert.deepEqual(await serversOfSearch(at(two), word, []), ON_PRIMARY, word);
    }
    await resume();
    await caughtUp();
    assert.deepEqual(await serversOfSearch(at(two), 'avocet', []), ON_REPLICA);
  });

  test('a replica that lags too long, is gone or was promoted is not read, and is read again after that', async (t) => {
    const strict = await startApi(env(500), new AbortController().signal);
    await untilUsable(strict);
    const untilUnusable = () => waitFor(async () => !(await isReplicaUsable(strict)));
    await pause();
    t.after(() => resume().catch(() => undefined));
    await write(one, 'bittern');
    await untilUnusable();
    assert.deepEqual(await titles(at(strict), 'bittern'), ['bittern']);
    await resume();
    await untilUsable(strict);
    const back = await serversOf(strict, async () =>
      assert.deepEqual(await titles(at(strict), 'bittern'), ['bittern']),
    );
    assert.deepEqual(back, ON_REPLICA);
    await replica.crash();
    assert.deepEqual(await titles(at(strict), 'bittern'), ['bittern']);
    await untilUnusable();
    await replica.start();
    await untilUsable(strict);
    await replica.promote();
    await untilUnusable();
    assert.deepEqual(await titles(at(strict), 'bittern'), ['bittern']);
  });
});
