import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import { openModelClient } from '../../../worker/embedder/model-client.ts';
import { configuredModel } from '../../../worker/embedder/model-client-options.ts';
import type { RunningWorker } from '../../../worker/worker.ts';
import type { SignedIn } from '../../support/app.ts';
import { via } from '../../support/client/client.ts';
import { until } from '../../support/process-table.ts';
import { TEST_MODEL } from '../../support/test-model.ts';
import {
  type Found,
  openOtherApi,
  openServerMode,
  placesOf,
  queryJobs,
  SMALL_CLAIM,
  searchInServerMode,
  startModelWorker,
} from './server-mode.ts';

// Longer than any test runs, so every answer comes from the worker.
const service = await openServerMode({ MEMORY_QUERY_EMBEDDING_TIMEOUT_MS: '240000' });

const TEXTS = [
  'The harbour master keeps the keys of the lighthouse.',
  'Invoices of the city council are paid on Fridays.',
  'The kitchen garden needs new soil before the tomatoes go in.',
  '市议会在星期五支付了三月份的发票。',
  'สวนครัวของเราต้องเปลี่ยนดินใหม่ก่อนปลูกมะเขือเทศ',
];

let worker: RunningWorker;
let company: SignedIn;

before(async () => {
  worker = await startModelWorker(service);
  company = await service.company();
  await Promise.all(TEXTS.map((text) => company.ask.ingestSource({ title: text.slice(0, 20), text })));
  await until(AbortSignal.timeout(60_000), async () => {
    const { chunks } = await company.api.getStatus();
    return chunks.pending === 0 && chunks.embedded === TEXTS.length;
  });
});
after(() => worker?.stop());

/** The vector of the model itself for a query, as a client would send it. */
async function searchAsClient(query: string): Promise<Found> {
  const { modelDir } = service;
  const { model: settings, megabytes } = configuredModel(service.config);
  const model = openModelClient({
    model: { ...settings, name: TEST_MODEL, modelDir },
    megabytes,
    logger: createLogger('silent', 'test'),
  });
  try {
    const vector = await model.embed(query, 'query', new AbortController().signal);
    const queryEmbedding = [...vector];
    const body = { query, scope: {}, queryEmbedding, ...SMALL_CLAIM };
    return await company.api.searchMemory(body);
  } finally {
    await model.close();
  }
}

const places = (hits: readonly Hit[]) => hits.map((hit) => [hit.text, hit.semantic_rank, hit.keyword_rank]);

describe('a search in server mode with a worker', () => {
  test('a server-mode search has the same order as one by a client with the same model', async () => {
    const query = 'who keeps the keys of the harbour';
    const found = await searchInServerMode(company, query);
    assert.deepEqual([found.degraded, found.embedding], [false, { mode: 'server', model: TEST_MODEL }]);
    assert.equal(found.hits[0]?.text, TEXTS[0]);
    assert.equal(found.hits.length, TEXTS.length);
    assert.deepEqual(
      found.hits.map((hit) => hit.semantic_rank).sort(),
      TEXTS.map((_, index) => index + 1),
    );
    assert.deepEqual(places(found.hits), places((await searchAsClient(query)).hits));
    assert.deepEqual(await placesOf(service, query), [], 'its text is nowhere in the database');
  });

  test('each search gets its own result when two API processes search at the same time', async (t) => {
    const other = await openOtherApi(t, service);
    const asked = TEXTS.flatMap((text) => [
      { text, found: searchInServerMode(company, `${text} (one)`) },
      { text, found: searchInServerMode(via(other, company), `${text} (two)`) },
    ]);
    for (const { text, found } of asked) {
      const { degraded, hits } = await found;
      assert.deepEqual([degraded, hits[0]?.text], [false, text]);
    }
    assert.deepEqual(await queryJobs(service), []);
  });

  const { boss } = service.queue;
  const WITHOUT_NOTIFY = {
    'are not supported': undefined,
    'are refused': () => Promise.reject(new Error('no LISTEN here')),
    'never arrive': () => Promise.resolve({ close: () => Promise.resolve() }),
  };
  for (const [how, listen] of Object.entries(WITHOUT_NOTIFY)) {
    test(`a server-mode search succeeds when the notifications of the database ${how}`, async (t) => {
      const queue = {
        ...service.queue,
        boss: { send: boss.send.bind(boss), getDb: () => ({ listen }) },
      } as unknown as typeof service.queue;
      const api = await openOtherApi(t, service, { queue });
      const found = await searchInServerMode(via(api, company), `lighthouse: notices ${how}`);
      assert.deepEqual([found.degraded, found.hits[0]?.text], [false, TEXTS[0]]);
      assert.deepEqual(await queryJobs(service), []);
    });
  }
});
