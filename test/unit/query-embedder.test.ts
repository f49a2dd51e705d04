import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openQueryEmbedder, type QueryAnswers } from '../../core/search/query-vector.ts';
import { embedderView, readiness } from '../../core/status/queries.ts';
import type { Database } from '../../db/driver/database.ts';
import { readConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import type { EmbedderState } from '../../shared/schemas/status.ts';

const config = readConfig({
  MEMORY_API_TOKEN: 'test-token-of-the-service',
  MEMORY_API_SERVER_EMBEDDINGS: '1',
});
/** The size of the cache. */
const KEPT = 512;

const worker = (state: EmbedderState['state'], fetched: number | null = null) => ({
  embedder: { model: config.embeddingModel, state, fetched, chunksPerMinute: 0 },
});

/** An embedder whose answers come from the test. It records the texts that it is asked for. */
function openEmbedder(workers: readonly { embedder: EmbedderState | null }[] = [worker('ready')]) {
  const asked: string[] = [];
  const looks: number[] = [];
  let lookFault: Error | null = null;
  let give: (text: string) => Promise<Float32Array | null> = async (text) => Float32Array.of(text.length);
  const answers: QueryAnswers = {
    request: (text) => {
      asked.push(text);
      return give(text);
    },
    close: () => Promise.resolve(),
  };
  const query = async (text: string) => {
    if (!text.includes('memory.worker')) return [];
    looks.push(1);
    if (lookFault !== null) throw lookFault;
    return workers.map((one) => ({ ...one, startedAt: new Date(0), lastSeenAt: new Date(0) }));
  };
  const database = { transaction: (fn: (tx: object) => unknown) => fn({ query }) } as unknown as Database;
  const deps = { config, database, queue: null as never, logger: createLogger('silent', 'test') };
  const embedder = openQueryEmbedder(deps, answers);
  return {
    asked,
    looks,
    embed: (text: string, teamId = 'a Team', userId = 'someone') => embedder.embed({ teamId, userId }, text),
    answerWith: (answer: typeof give) => {
      give = answer;
    },
    failLooks: (fault: Error | null) => {
      lookFault = fault;
    },
  };
}

describe('the vector of a query', () => {
  test('the same query asks a worker once', async () => {
    const { embed, asked } = openEmbedder();
    const first = await embed('same');
    assert.deepEqual(await embed('same'), first);
    assert.deepEqual(asked, ['same']);
  });

  test('the same query of another Team asks again, so that no Team learns the queries of another', async () => {
    const { embed, asked } = openEmbedder();
    await embed('same', 'one Team');
    await embed('same', 'another Team');
    assert.deepEqual(asked, ['same', 'same']);
  });

  test('the same query of another person asks again, so that nobody learns the queries of a colleague', async () => {
    const { embed, asked } = openEmbedder();
    await embed('same', 'one Team', 'one person');
    await embed('same', 'one Team', 'another person');
    assert.deepEqual(asked, ['same', 'same']);
  });

  test('twenty callers with the same query at the same time ask a worker once', async () => {
    const { embed, asked, answerWith } = openEmbedder();
    const answer = Promise.withResolvers<Float32Array>();
    answerWith(() => answer.promise);
    const all = Array.from({ length: 20 }, () => embed('same'));
    answer.resolve(Float32Array.of(7));
    assert.deepEqual(await Promise.all(all), Array(20).fill(Float32Array.of(7)));
    assert.deepEqual(asked, ['same']);
  });

  test('twenty different queries at the same time each get their own vector', async () => {
    const { embed, answerWith } = openEmbedder();
    answerWith(async (text) => Float32Array.of(Number(text)));
    const all = await Promise.all(Array.from({ length: 20 }, (_, place) => embed(String(place))));
    assert.deepEqual(
      all.map((vector) => vector?.[0]),
      Array.from({ length: 20 }, (_, place) => place),
    );
  });

  test('the cache evicts the least recently used vector first', async () => {
    const { embed, asked } = openEmbedder();
    for (let place = 0; place < KEPT; place += 1) await embed(`query ${place}`);
    await embed('query 0');
    await embed('one more');
    asked.length = 0;
    await embed('query 0');
    await embed('query 2');
    assert.deepEqual(asked, []);
    await embed('query 1');
    assert.deepEqual(asked, ['query 1']);
  });

  test('a query whose vector failed asks a worker again', async () => {
    const { embed, asked, answerWith } = openEmbedder();
    answerWith(() => Promise.resolve(null));
    assert.equal(await embed('same'), null);
    answerWith(() => Promise.reject(new Error('the queue is gone')));
    assert.equal(await embed('same'), null);
    answerWith(() => Promise.resolve(Float32Array.of(1)));
    assert.deepEqual(await embed('same'), Float32Array.of(1));
    assert.equal(asked.length, 3);
  });

  test('no vector is requested if no worker is ready, and concurrent callers share one check', async () => {
    const { embed, asked, looks } = openEmbedder([worker('missing')]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, place) => embed(String(place))));
    assert.deepEqual(all, Array(20).fill(null));
    assert.deepEqual([asked.length, looks.length], [0, 1]);
  });

  test('a query looks for workers again at once after that has failed', async () => {
    const { embed, failLooks } = openEmbedder();
    failLooks(new Error('the database is gone'));
    assert.equal(await embed('same'), null);
    failLooks(null);
    assert.deepEqual(await embed('same'), Float32Array.of(4));
  });
});

describe('the readiness of the workers', () => {
  test('the readiness is that of the worker that is closest to ready', () => {
    const all = (['missing', 'failing', 'fetching', 'loading', 'ready'] as const).map((state) =>
      worker(state),
    );
    const { embeddingModel: model } = config;
    assert.equal(readiness(all, model), 'ready');
    assert.equal(readiness(all.slice(0, 4), model), 'soon');
    assert.equal(readiness([{ embedder: null }, worker('ready')], model), 'ready');
    const of = (other: string) => ({ embedder: { ...worker('ready').embedder, model: other } });
    assert.equal(readiness([of('another/model'), of(model)], model), 'ready');
  });

  const PROBLEMS: [string, Parameters<typeof readiness>[0] | null, RegExp][] = [
    ['no worker', [], /^No worker that makes vectors is running$/],
    ['a worker that makes no vectors', [{ embedder: null }], /^No worker that makes vectors is running$/],
    ['a worker that loads the model', [worker('loading')], /^The worker is loading the model$/],
    [
      'a worker that fetches the model',
      [worker('missing'), worker('fetching', 0.29)],
      /^The worker is fetching the model \(29 %\)$/,
    ],
    [
      'a worker that fetches a model of unknown size',
      [worker('fetching')],
      /^The worker is fetching the model$/,
    ],
    [
      'a worker without a model',
      [worker('missing')],
      /^The worker cannot get the files of the model: its log says/,
    ],
    [
      'a worker that fails',
      [worker('failing'), worker('missing')],
      /^The worker cannot load the model: its log says why$/,
    ],
    [
      'workers of another model only',
      [{ embedder: { ...worker('ready').embedder, model: 'another/model' } }],
      /^Every worker that is running has another model$/,
    ],
    ['a database that does not answer', null, /^The database does not answer$/],
  ];
  for (const [what, workers, expected] of PROBLEMS) {
    test(`the status reports the problem in one sentence for ${what}`, () => {
      assert.match((embedderView(config, workers) as { problem?: string }).problem ?? '', expected);
    });
  }

  test('the status has no problem if clients make the vectors or a worker is ready', () => {
    assert.ok(!('problem' in embedderView({ ...config, serverEmbeddings: false }, null)));
    assert.ok(!('problem' in embedderView(config, [worker('ready')])));
  });
});
