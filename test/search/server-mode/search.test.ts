import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RECHECK_AFTER_MS } from '../../../api/http/recheck-guards.ts';
import { answerVector } from '../../../db/queue/query-embeddings.ts';
import { newId } from '../../../shared/ids.ts';
import { changeAccess } from '../../support/access-changes.ts';
import { via } from '../../support/client/client.ts';
import { until } from '../../support/process-table.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, along } from '../../support/team.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import {
  askInServerMode,
  type Found,
  openOtherApi,
  openServerMode,
  placesOf,
  queryJobs,
  SMALL_CLAIM,
  sayOfWorker,
  searchInServerMode,
} from './server-mode.ts';

/** Longer than any test runs: waiting this long means failing. */
const FOR_EVER_MS = 240_000;

// No worker runs here: the tests write its heartbeat.
const service = await openServerMode({ MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: String(FOR_EVER_MS) });
const { database } = service;
const WORKER = newId();

/** A Company with two chunks: one with a vector, one without. */
async function scene() {
  const company = await service.company();
  await company.ask.ingestSource({
    title: 'x',
    chunks: [{ text: 'the lighthouse keeper', embedding: along(1) }, { text: 'the harbour' }],
    ...SMALL_CLAIM,
  });
  return company;
}

/** An API process whose searches wait this long, and a count of the queries that it queued. */
async function openApi(t: { after(fn: () => unknown): void }, queryEmbeddingTimeoutMs: number) {
  const api = await openOtherApi(t, service, { queryEmbeddingTimeoutMs });
  const sending = mock.method(service.queue.boss, 'send');
  t.after(() => sending.mock.restore());
  const queued = () => sending.mock.calls.filter(({ arguments: [name] }) => String(name) === 'embed.query');
  return { ...api, queued: () => queued().length };
}

const ranks = ({ hits }: Found) =>
  hits.map((hit) => [hit.text, hit.semantic_rank !== null, hit.keyword_rank !== null]);
const BY_KEYWORD_ALONE = [['the lighthouse keeper', false, true]];

/** The id of the only query in the queue, once it is there. */
async function waitingQuery(t: { signal: AbortSignal }): Promise<string> {
  let id: string | undefined;
  await until(t.signal, async () => {
    id = (await queryJobs(service))[0]?.id;
    return id !== undefined;
  });
  return id!;
}

/** Answers a query in place of a worker. */
async function answer(id: string, { vector = along(1), model = TEST_MODEL } = {}): Promise<void> {
  await database.query(`update pgboss.job set state = 'active' where id = $1`, [id]);
  await answerVector(database, { id, vector: Float32Array.from(vector), model });
}

describe('a search in server mode', () => {
  const REPORTS = {
    'no worker runs': [],
    'no worker has the model': [null, { state: 'fetching', fetched: 0.2 }, { state: 'missing' }],
    'the last heartbeat of the worker is over 30 seconds old': [{ state: 'ready' }],
  };
  for (const [where, reports] of Object.entries(REPORTS)) {
    test(`answers by keywords at once and does not queue the query when ${where}`, async (t) => {
      const company = await scene();
      await database.query('delete from memory.worker');
      for (const report of reports) await sayOfWorker(service, newId(), report);
      if (where.includes('heartbeat'))
        await database.query(`update memory.worker set last_seen_at = now() - interval '31 seconds'`);
      const api = await openApi(t, FOR_EVER_MS);
      const found = await searchInServerMode(via(api, company), 'lighthouse');
      assert.deepEqual(found.embedding, { mode: 'server', model: TEST_MODEL });
      assert.equal(found.degraded, true);
      assert.deepEqual(ranks(found), BY_KEYWORD_ALONE);
      assert.equal(api.queued(), 0);
      assert.deepEqual(await queryJobs(service), []);
    });
  }

  for (const state of ['loading', 'ready']) {
    test(`answers by keywords after the time limit when a worker that is ${state} does not answer`, async (t) => {
      const company = await scene();
      await sayOfWorker(service, WORKER, { state });
      const api = await openApi(t, 50);
      const query = `lighthouse of ${state} Xanadu`;
      const found = await searchInServerMode(via(api, company), query);
      assert.equal(found.degraded, true);
      assert.deepEqual(ranks(found), BY_KEYWORD_ALONE);
      assert.equal(api.queued(), 1);
      await until(t.signal, async () => (await queryJobs(service)).length === 0);
      assert.deepEqual(await placesOf(service, query), []);
    });
  }

  test('stores the text of the query only beside the audit event, and only with storeQueryText', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'loading' });
    const api = await openApi(t, 1);
    await searchInServerMode(via(api, company), 'a Zanzibar said', { storeQueryText: true });
    await searchInServerMode(via(api, company), 'a Zimbabwe unsaid', { storeQueryText: false });
    await until(t.signal, async () => (await queryJobs(service)).length === 0);
    assert.deepEqual(await placesOf(service, 'Zanzibar said'), ['memory.audit_search']);
    assert.deepEqual(await placesOf(service, 'Zimbabwe unsaid'), []);
  });

  test('ignores a vector that another model made and does not cache it', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openApi(t, FOR_EVER_MS);
    const ask = async (model: string) => {
      const asked = searchInServerMode(via(api, company), 'lighthouse');
      await answer(await waitingQuery(t), { model });
      return asked;
    };
    const other = await ask('Xenova/another');
    assert.deepEqual([other.degraded, ranks(other)], [true, BY_KEYWORD_ALONE]);
    // It is not cached either: the same query is asked again.
    const own = await ask(TEST_MODEL);
    assert.deepEqual([own.degraded, ranks(own)], [false, [['the lighthouse keeper', true, true]]]);
  });

  test('answers by keywords as soon as the job of the query fails', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openApi(t, FOR_EVER_MS);
    const asked = searchInServerMode(via(api, company), 'lighthouse');
    const id = await waitingQuery(t);
    await database.query(`update pgboss.job set state = 'active' where id = $1`, [id]);
    await service.queue.boss.fail('embed.query', id, { message: 'lost' });
    assert.equal((await asked).degraded, true);
    assert.deepEqual(await queryJobs(service), []);
  });

  test('asks no worker for a search with a vector of its own, or by keywords, and is not the mode without one', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openApi(t, FOR_EVER_MS);
    const search = via(api, company).api.searchMemory;
    for (const mode of [{}, { embeddingMode: 'auto' }]) {
      const given = await search({ query: 'zzz', queryEmbedding: along(1), ...SMALL_CLAIM, ...mode });
      const { embedding, degraded, hits } = given;
      assert.deepEqual([embedding.mode, degraded, hits[0]?.semantic_rank], ['client-provided', false, 1]);
    }
    const byWords = await search({ query: 'lighthouse', embeddingMode: 'keyword' });
    assert.deepEqual([byWords.embedding.mode, ranks(byWords)], ['keyword', BY_KEYWORD_ALONE]);
    const missing = await via(api, company).ask.searchMemory({ query: 'x' });
    assert.equal(outcome(missing), '400 query_embedding_required');
    assert.equal(api.queued(), 0);
  });

  test('a search in auto mode uses the vector of a worker, and degrades to keywords after the time limit', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openApi(t, FOR_EVER_MS);
    const asked = searchInServerMode(via(api, company), 'lighthouse', { embeddingMode: 'auto' });
    await answer(await waitingQuery(t));
    const found = await asked;
    assert.deepEqual(found.embedding, { mode: 'server', model: TEST_MODEL });
    assert.deepEqual([found.degraded, ranks(found)], [false, [['the lighthouse keeper', true, true]]]);
    const slow = await openApi(t, 1);
    const late = await searchInServerMode(via(slow, company), 'harbour', { embeddingMode: 'auto' });
    assert.deepEqual([late.embedding.mode, late.degraded], ['server', true]);
    assert.deepEqual(ranks(late), [['the harbour', false, true]]);
  });

  test('refuses what can be refused before it queues the query', async (t) => {
    const company = await scene();
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const api = await openOtherApi(t, service, { redaction: 'refuse' });
    for (const embeddingMode of ['server', 'auto']) {
      for (const [expected, more] of [
        ['403 scope_forbidden', { scope: { clientId: newId() } }],
        ['404 not_found', { sourceIds: [newId()] }],
        ['404 not_found', { explainSource: newId() }],
        ['422 secret_detected', { query: 'is password=hunter22 right', storeQueryText: true }],
      ] as const) {
        const asked = { embeddingMode, ...more };
        assert.equal(outcome(await askInServerMode(via(api, company), 'lighthouse', asked)), expected);
      }
    }
    assert.deepEqual(await queryJobs(service), []);
    assert.deepEqual(await placesOf(service, 'is password=hunter22 right'), []);
  });
});

describe('a caller who loses access while the search waits for its vector', () => {
  const LOSSES = [
    { what: 'the grant was deleted', of: 'the client', expected: '403 scope_forbidden' },
    { what: 'the grant was deleted', of: 'all', expected: '200' },
    { what: 'the member was removed from the Team', of: 'all', expected: '403 team_forbidden' },
    { what: 'the account was closed', of: 'all', expected: '401 unauthenticated' },
  ] as const;
  for (const { what, of, expected } of LOSSES) {
    test(`returns ${expected} and no hit of the client after ${what} (search of ${of})`, async (t) => {
      const company = await service.company();
      const clientId = await addClient(service, company);
      const clients = { [clientId]: 'write' } as const;
      const person = await addPerson(service, company, { teamRole: 'member', clients });
      const scope = of === 'all' ? { include: ['team', 'client'] } : { clientId };
      const chunks = [{ text: 'the lighthouse of the client', embedding: along(1) }];
      await person.api.ingestSource({ title: 'x', chunks, scope: { clientId }, ...SMALL_CLAIM });
      await sayOfWorker(service, WORKER, { state: 'ready' });
      const asked = Promise.resolve(askInServerMode(person, 'lighthouse', { scope }));
      const id = await waitingQuery(t);
      await changeAccess(service, what, { company, person, clientId });
      // Anything shorter than this counts as one moment.
      await pause(RECHECK_AFTER_MS);
      await answer(id);
      const late = await asked;
      assert.equal(late.statusCode === 200 ? '200' : outcome(late), expected, late.body);
      assert.ok(!late.body.includes('lighthouse of'), late.body);
    });
  }

  test('returns 403 full_access_required for an explanation after the role was lowered', async (t) => {
    const company = await scene();
    const person = await addPerson(service, company, { teamRole: 'admin' });
    await sayOfWorker(service, WORKER, { state: 'ready' });
    const asked = Promise.resolve(askInServerMode(person, 'lighthouse', { explain: true }));
    const id = await waitingQuery(t);
    await changeAccess(service, 'the role was lowered', { company, person, clientId: '' });
    await pause(RECHECK_AFTER_MS);
    await answer(id);
    const late = await asked;
    assert.equal(outcome(late), '403 full_access_required', late.body);
  });
});
