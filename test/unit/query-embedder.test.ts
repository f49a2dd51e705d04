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
  test('the same query asks a worker once, and again for another Team or person, who learn nothing of each other', async () => {
    const { embed, asked } = openEmbedder();
    const first = await embed('same', 'one Team', 'one person');
    assert.deepEqual(await embed('same', 'one Team', 'one person'), first);
    assert.equal(asked.length, 1);
    await embed('same', 'another Team', 'one person');
    await embed('same', 'one Team', 'another person');
    assert.deepEqual(asked, ['same', 'same', 'same']);
  });

  test('twenty callers at the same time ask a worker once for the same query, and each for another', async () => {
    const { embed, asked, answerWith } = openEmbedder();
    answerWith(async (text) => Float32Array.of(Number(text)));
    const same = Array.from({ length: 20 }, () => embed('7'));
    assert.deepEqual(await Promise.all(same), Array(20).fill(Float32Array.of(7)));
    assert.deepEqual(asked, ['7']);
    const others = Array.from({ length: 20 }, (_, place) => embed(String(10 + place)));
    assert.deepEqual(
      (await Promise.all(others)).map((vector) => vector?.[0]),
      Array.from({ length: 20 }, (_, place) => 10 + place),
    );
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
  const other = { embedder: { ...worker('ready').embedder, model: 'another/model' } };

  test('the readiness is that of the worker that is closest to ready', () => {
    const all = (['missing', 'failing', 'fetching', 'loading', 'ready'] as const).map((state) =>
      worker(state),
    );
    const { embeddingModel: model } = config;
    assert.equal(readiness(all, model), 'ready');
    assert.equal(readiness(all.slice(0, 4), model), 'soon');
    assert.equal(readiness([{ embedder: null }, worker('ready')], model), 'ready');
    assert.equal(readiness([other, worker('ready')], model), 'ready');
  });

  const PROBLEMS: [problem: string, workers: Parameters<typeof readiness>[0] | null][] = [
    ['No worker that makes vectors is running', []],
    ['No worker that makes vectors is running', [{ embedder: null }]],
    ['The worker is loading the model', [worker('loading')]],
    ['The worker is fetching the model (29 %)', [worker('missing'), worker('fetching', 0.29)]],
    ['The worker is fetching the model', [worker('fetching')]],
    [
      'The worker cannot get the files of the model: its log says which, and where it looked',
      [worker('missing')],
    ],
    ['The worker cannot load the model: its log says why', [worker('failing'), worker('missing')]],
    ['Every worker that is running has another model', [other]],
    ['The database does not answer', null],
  ];
  test('the status reports the problem of the workers in one sentence', () => {
    const problems = PROBLEMS.map(([, workers]) => embedderView(config, workers) as { problem?: string });
    assert.deepEqual(
      problems.map(({ problem }) => problem),
      PROBLEMS.map(([problem]) => problem),
    );
  });

  test('the status has no problem if clients make the vectors or a worker is ready', () => {
    assert.ok(!('problem' in embedderView({ ...config, serverEmbeddings: false }, null)));
    assert.ok(!('problem' in embedderView(config, [worker('ready')])));
  });
});
