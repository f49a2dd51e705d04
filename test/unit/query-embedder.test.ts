import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QueryAnswers } from '../../core/search/query-answers.ts';
import { openQueryEmbedder } from '../../core/search/query-embedder.ts';
import { embedderView, readiness } from '../../core/status/embedder-view.ts';
import type { Database } from '../../db/driver/database.ts';
import { readConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/logger.ts';
import type { EmbedderState } from '../../shared/schemas/status.ts';

const config = readConfig({
  MEMORY_API_TOKEN: 'test-token-of-the-service',
  MEMORY_API_SERVER_EMBEDDINGS: '1',
});
/** What the embedder keeps at most. */
const KEPT = 512;

const worker = (state: EmbedderState['state'], fetched: number | null = null) => ({
  embedder: { model: config.embeddingModel, state, fetched, chunksPerMinute: 0 },
});

/** An embedder whose answers are given by the test; every text is asked under its own name. */
function openEmbedder(workers: readonly { embedder: EmbedderState | null }[] = [worker('ready')]) {
  const asked: string[] = [];
  const looks: number[] = [];
  let give: (text: string) => Promise<Float32Array | null> = async (text) => Float32Array.of(text.length);
  const answers: QueryAnswers = {
    ask: (text) => {
      asked.push(text);
      return give(text);
    },
    close: () => Promise.resolve(),
  };
  const query = async (text: string) => {
    if (!text.includes('memory.worker')) return [];
    looks.push(1);
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
  };
}

describe('the vector of a query', () => {
  test('is asked for once, and the same question again asks no worker', async () => {
    const { embed, asked } = openEmbedder();
    const first = await embed('same');
    assert.deepEqual(await embed('same'), first);
    assert.deepEqual(asked, ['same']);
  });

  test('is asked for again by another Team, so that no Team learns what another asked', async () => {
    const { embed, asked } = openEmbedder();
    await embed('same', 'one Team');
    await embed('same', 'another Team');
    assert.deepEqual(asked, ['same', 'same']);
  });

  test('is asked for once where twenty ask the same at once', async () => {
    const { embed, asked, answerWith } = openEmbedder();
    const answer = Promise.withResolvers<Float32Array>();
    answerWith(() => answer.promise);
    const all = Array.from({ length: 20 }, () => embed('same'));
    answer.resolve(Float32Array.of(7));
    assert.deepEqual(await Promise.all(all), Array(20).fill(Float32Array.of(7)));
    assert.deepEqual(asked, ['same']);
  });

  test('is each one’s own where twenty ask at once', async () => {
    const { embed, answerWith } = openEmbedder();
    answerWith(async (text) => Float32Array.of(Number(text)));
    const all = await Promise.all(Array.from({ length: 20 }, (_, place) => embed(String(place))));
    assert.deepEqual(
      all.map((vector) => vector?.[0]),
      Array.from({ length: 20 }, (_, place) => place),
    );
  });

  test('that was used least recently is forgotten first', async () => {
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

  test('that could not be had is asked for again', async () => {
    const { embed, asked, answerWith } = openEmbedder();
    answerWith(() => Promise.resolve(null));
    assert.equal(await embed('same'), null);
    answerWith(() => Promise.reject(new Error('the queue is gone')));
    assert.equal(await embed('same'), null);
    answerWith(() => Promise.resolve(Float32Array.of(1)));
    assert.deepEqual(await embed('same'), Float32Array.of(1));
    assert.equal(asked.length, 3);
  });

  test('is not asked for where no worker can make it, and many looks at that are one', async () => {
    const { embed, asked, looks } = openEmbedder([worker('missing')]);
    const all = await Promise.all(Array.from({ length: 20 }, (_, place) => embed(String(place))));
    assert.deepEqual(all, Array(20).fill(null));
    assert.deepEqual([asked.length, looks.length], [0, 1]);
  });
});

describe('what the workers can do', () => {
  test('is what the one can that is nearest to it', () => {
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
    ['a worker that makes none', [{ embedder: null }], /^No worker that makes vectors is running$/],
    ['one that loads', [worker('loading')], /^The worker is loading the model$/],
    [
      'one that fetches',
      [worker('missing'), worker('fetching', 0.29)],
      /^The worker is fetching the model \(29 %\)$/,
    ],
    ['one that fetches what is not known', [worker('fetching')], /^The worker is fetching the model$/],
    [
      'one without a model',
      [worker('missing')],
      /^The worker cannot get the files of the model: its log says/,
    ],
    [
      'one that fails',
      [worker('failing'), worker('missing')],
      /^The worker cannot load the model: its log says why$/,
    ],
    [
      'workers of another model alone',
      [{ embedder: { ...worker('ready').embedder, model: 'another/model' } }],
      /^Every worker that is running has another model$/,
    ],
    ['a database that does not answer', null, /^The database does not answer$/],
  ];
  for (const [what, workers, expected] of PROBLEMS) {
    test(`is told in a sentence: ${what}`, () => {
      assert.match((embedderView(config, workers) as { problem?: string }).problem ?? '', expected);
    });
  }

  test('is no matter where clients make the vectors, or where a worker is ready', () => {
    assert.ok(!('problem' in embedderView({ ...config, serverEmbeddings: false }, null)));
    assert.ok(!('problem' in embedderView(config, [worker('ready')])));
  });
});
