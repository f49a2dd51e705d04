import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openQueryAnswers } from '../../../core/search/query-vector.ts';
import { deleteQueryEmbedding, enqueueQueryEmbedding } from '../../../db/queue/query-embeddings.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import { via } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import { doJob } from '../../support/do-job.ts';
import { until } from '../../support/process-table.ts';
import { along } from '../../support/team.ts';
import { askedOf, HELD, HELD_MODEL, REFUSED, releaseAll } from './held-model.ts';
import {
  type Found,
  openOtherApi,
  openServerMode,
  placesOf,
  queryJobs,
  type ServerMode,
  SMALL_CLAIM,
  sayOfWorker,
  searchInServerMode,
  startModelWorker,
} from './server-mode.ts';

/** Longer than any test runs: waiting this long means failing. */
const FOR_EVER_MS = 240_000;
const PATIENT = { MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: String(FOR_EVER_MS) };

const dropping = await openServerMode(PATIENT);
const busy = await openServerMode(PATIENT);
const service = await openServerMode(PATIENT);
const company = await service.company();

/** A service whose worker runs a model that a test can hold up. */
async function openHeld(t: { after(fn: () => unknown): void }, service: ServerMode) {
  const worker = await startModelWorker(service, { main: HELD_MODEL });
  t.after(async () => {
    await releaseAll(service.modelDir);
    await worker.stop();
  });
  return { worker, asked: () => askedOf(service.modelDir) };
}

/** Queues a query as an API process would that stopped this long ago. */
async function leaveBehind({ queue, database }: ServerMode, text: string, agoMs: number): Promise<string> {
  const id = await enqueueQueryEmbedding(queue, { text, timeoutMs: 5000 });
  await database.query(`update pgboss.job set created_on = now() - make_interval(secs => $2) where id = $1`, [
    id,
    agoMs / 1000,
  ]);
  return id;
}

describe('the worker that embeds queries', () => {
  test('drops queries that no caller waits for, without embedding them', async (t) => {
    const service = dropping;
    const company = await service.company();
    await leaveBehind(service, 'left behind 1', 5001);
    const { asked } = await openHeld(t, service);
    const first = searchInServerMode(company, `${HELD} 2`);
    await until(t.signal, async () => (await asked()).length === 1);
    // More than the worker runs at once: some wait in the queue, others in the worker.
    const hasty = await openOtherApi(t, service, { queryEmbeddingTimeoutMs: 700 });
    const given = await Promise.all(
      Array.from({ length: 10 }, (_, place) => searchInServerMode(via(hasty, company), `given up ${place}`)),
    );
    assert.ok(given.every(({ degraded }) => degraded));
    await until(t.signal, async () => (await queryJobs(service)).length === 1);
    await releaseAll(service.modelDir);
    assert.equal((await first).degraded, false);
    assert.equal((await searchInServerMode(company, 'last 3')).degraded, false);
    assert.deepEqual(await asked(), [`${HELD} 2`, 'last 3']);
    assert.deepEqual(await queryJobs(service), []);
    assert.deepEqual(await placesOf(service, 'given up'), []);
    assert.deepEqual(await placesOf(service, 'left behind'), []);
  });

  test('embeds a query before a backlog of chunks', async (t) => {
    const service = busy;
    const { asked } = await openHeld(t, service);
    const company = await service.company();
    const chunks = Array.from({ length: 40 }, (_, place) => ({ text: `${HELD} chunk ${place}` }));
    await company.ask.ingestSource({ title: HELD, chunks });
    await until(t.signal, async () => (await asked()).length === 1);
    assert.equal((await searchInServerMode(company, 'query 1')).degraded, false);
    const [first = '', ...others] = await asked();
    assert.ok(first.startsWith(HELD));
    assert.deepEqual(others, ['query 1']);
  });
});

describe('an API process in server mode', () => {
  const { database, queue, config } = service;
  const logger = createLogger('silent', 'test');

  test('answers with degraded true as soon as the model refuses the text', async (t) => {
    const { asked } = await openHeld(t, service);
    const found = await searchInServerMode(company, `${REFUSED} 1`);
    assert.equal(found.degraded, true);
    // Two processes try it, because the first may have failed for another reason.
    assert.deepEqual(await asked(), [`${REFUSED} 1`, `${REFUSED} 1`]);
    assert.deepEqual(await queryJobs(service), []);
    // A search with the vector of the worker must find the chunk along that vector.
    await company.ask.ingestSource({
      title: 'x',
      chunks: [
        { text: 'first', embedding: along(7) },
        { text: 'second', embedding: along(8) },
      ],
      ...SMALL_CLAIM,
    });
    const { hits } = await searchInServerMode(company, 'along 8', { topK: 1 });
    assert.equal(hits[0]?.text, 'second');
  });

  test('answers every waiting search and deletes its query jobs when the API closes', async (t) => {
    await sayOfWorker(service, newId(), { state: 'ready' });
    const api = await openOtherApi(t, service);
    // Over a connection, because a server waits for its connections before it is closed.
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const asked = fetch(`${url}/v1/memory/search`, {
      method: 'POST',
      headers: { ...company.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'closing Yak', scope: {}, embeddingMode: 'server' }),
    });
    await until(t.signal, async () => (await queryJobs(service)).length === 1);
    await api.app.close();
    assert.equal(((await (await asked).json()) as Found).degraded, true);
    assert.deepEqual(await queryJobs(service), []);
    assert.deepEqual(await placesOf(service, 'closing Yak'), []);
  });

  /** Answers whose queries are enqueued only when the test allows it. */
  function openSlowAnswers() {
    const held = Promise.withResolvers<void>();
    const send = async (...args: Parameters<typeof queue.boss.send>) => {
      await held.promise;
      return queue.boss.send(...args);
    };
    const boss = { send, getDb: () => queue.boss.getDb() } as unknown as typeof queue.boss;
    return { answers: openQueryAnswers({ config, database, logger, queue: { boss } }), held };
  }

  test('deletes the job of a query that was enqueued only after the time limit of the search', async () => {
    const { answers, held } = openSlowAnswers();
    assert.equal(await answers.request('a slow question', 1), null);
    held.resolve();
    await answers.close();
    assert.deepEqual(await queryJobs(service), []);
  });

  test('upkeep.prune deletes query jobs of a killed API process, but no recent ones', async () => {
    await leaveBehind(service, 'left long ago', 66_000);
    const young = await leaveBehind(service, 'left just now', 1000);
    await doJob(service.database, 'upkeep.prune', {});
    assert.deepEqual(column(await queryJobs(service), 'id'), [young]);
    await deleteQueryEmbedding(database, young);
  });
});
