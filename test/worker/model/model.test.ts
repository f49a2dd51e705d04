import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pipeline } from '@xenova/transformers';
import { type Embedder, loadEmbedder } from '../../../worker/embedder/model.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';

const prefixedModel = 'Xenova/multilingual-e5-large';
const prefixedQueries = 'Snowflake/snowflake-arctic-embed-l-v2.0';
// All tests of this process lose the network: it is not shared with other files.
let modelDir: string;
let embedder: Embedder;
const realFetch = globalThis.fetch;

before(async () => {
  modelDir = await temporaryFolder();
  await writeTestModel(modelDir);
  await writeTestModel(modelDir, { name: prefixedModel });
  await writeTestModel(modelDir, { name: prefixedQueries });
  await writeTestModel(modelDir, { name: 'memory/narrow', width: 512 });
  globalThis.fetch = () => Promise.reject(new Error('this test has no network'));
  embedder = await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
});

after(async () => {
  globalThis.fetch = realFetch;
  await endProcesses();
});

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-5, `${actual} is not near ${expected}`);
}

describe('a vector', () => {
  it('has 1,024 numbers and length 1, even for a text without letters', async () => {
    for (const text of ['How many points?', '多少分', '😀', '!?', '']) {
      const vector = await embedder.embed(text, 'query');
      assert.equal(vector.length, 1024);
      assertNear(Math.hypot(...vector), 1);
    }
  });

  it('is the same for the same text, and for query and passage if the model has no prefixes', async () => {
    const first = await embedder.embed('How many points?', 'query');
    assert.deepEqual(await embedder.embed('How many points?', 'query'), first);
    assert.deepEqual(await embedder.embed('How many points?', 'passage'), first);
  });

  it('equals the vector of the pipeline of the library with CLS pooling', async () => {
    const extract = await pipeline('feature-extraction', TEST_MODEL, { quantized: true });
    const expected = await extract('How many points?', { pooling: 'cls', normalize: true });
    assertNear(cosine(await embedder.embed('How many points?', 'query'), expected.data as Float32Array), 1);
    await extract.dispose();
  });
});

describe('pooling', () => {
  it('uses the first position or the mean of all, as the library does', async () => {
    const name = 'memory/by-position';
    await writeTestModel(modelDir, { name, byPosition: true });
    const text = 'How many points?';
    const extract = await pipeline('feature-extraction', name, { quantized: true });
    const vectors: Float32Array[] = [];
    for (const pooling of ['cls', 'mean'] as const) {
      const profile = { pooling, queryPrefix: undefined, passagePrefix: undefined, weight: undefined };
      const pooled = await loadEmbedder({ name, modelDir, allowDownload: false, profile });
      const vector = await pooled.embed(text, 'query');
      const expected = await extract(text, { pooling, normalize: true });
      assertNear(cosine(vector, expected.data as Float32Array), 1);
      vectors.push(vector);
    }
    await extract.dispose();
    assert.ok(cosine(vectors[0]!, vectors[1]!) < 0.99);
  });
});

describe('a text longer than the window', () => {
  const filler = 'The council met again and spoke of roads. '.repeat(60);
  const tail = 'Zebras quietly juggle xylophones, while a brass quintet from Guayaquil rehearses waltzes.';

  it('counts to its end', async () => {
    const plain = await embedder.embed(filler, 'passage');
    const withTail = await embedder.embed(filler + tail, 'passage');
    const query = await embedder.embed(tail, 'query');
    assert.ok(cosine(query, withTail) > cosine(query, plain) + 0.05);
  });

  it('has the normalised mean of its windows', async () => {
    // Two windows of equal length: the frame takes two tokens, and a character is a token.
    const [left, right] = ['ab'.repeat(700), 'cd'.repeat(700)];
    const whole = await embedder.embed(left + right, 'passage');
    assertNear(Math.hypot(...whole), 1);
    const [a, b] = [await embedder.embed(left, 'passage'), await embedder.embed(right, 'passage')];
    const mean = a.map((value, i) => value + b[i]!);
    assertNear(cosine(whole, mean) / Math.hypot(...mean), 1);
  });
});

describe('a model with prefixes', () => {
  it('gets the prefix for the purpose before every window', async () => {
    const prefixed = await loadEmbedder({ name: prefixedModel, modelDir, allowDownload: false });
    const text = 'Who paid the invoice?';
    const [query, passage] = [await prefixed.embed(text, 'query'), await prefixed.embed(text, 'passage')];
    assertNear(cosine(query, await embedder.embed(`query: ${text}`, 'query')), 1);
    assertNear(cosine(passage, await embedder.embed(`passage: ${text}`, 'query')), 1);

    const [left, right] = [' ab'.repeat(160), ' cd'.repeat(160)];
    const whole = await prefixed.embed((left + right).trim(), 'query');
    const [a, b] = [await prefixed.embed(left, 'query'), await prefixed.embed(right, 'query')];
    const mean = a.map((value, i) => value + b[i]!);
    assert.ok(cosine(whole, mean) / Math.hypot(...mean) > 0.99);
  });
});

describe('a model with a prefix only for queries', () => {
  it('gets none before a passage', async () => {
    const prefixed = await loadEmbedder({ name: prefixedQueries, modelDir, allowDownload: false });
    const text = 'Who paid the invoice?';
    const [query, passage] = [await prefixed.embed(text, 'query'), await prefixed.embed(text, 'passage')];
    assertNear(cosine(query, await embedder.embed(`query: ${text}`, 'query')), 1);
    assertNear(cosine(passage, await embedder.embed(text, 'query')), 1);
  });
});

describe('loading a model', () => {
  it('refuses a name that leads out of the model folder', async () => {
    await assert.rejects(
      loadEmbedder({ name: '../elsewhere', modelDir, allowDownload: true }),
      /owner\/name/,
    );
  });

  it('refuses a model with another number of dimensions', async () => {
    await assert.rejects(loadEmbedder({ name: 'memory/narrow', modelDir, allowDownload: false }), {
      message:
        'Embedding model memory/narrow gives vectors of 512 numbers, and 1024 are needed: set MEMORY_EMBEDDING_MODEL to a model with 1024 dimensions, such as Xenova/bge-m3',
    });
  });

  it('fills the input that says which text a token is of, and refuses one that it does not know', async () => {
    await writeTestModel(modelDir, { name: 'memory/two-texts', moreInput: 'token_type_ids' });
    const two = await loadEmbedder({ name: 'memory/two-texts', modelDir, allowDownload: false });
    assert.deepEqual(await two.embed('a text', 'query'), await embedder.embed('a text', 'query'));
    await writeTestModel(modelDir, { name: 'memory/positions', moreInput: 'constructor' });
    await assert.rejects(loadEmbedder({ name: 'memory/positions', modelDir, allowDownload: false }), {
      message:
        'Embedding model memory/positions has the input constructor, which the service does not know: set another MEMORY_EMBEDDING_MODEL',
    });
  });

  it('names a model that cannot be read, in one line', async () => {
    await writeTestModel(modelDir, { name: 'memory/torn' });
    await writeFile(path.join(modelDir, 'memory/torn/tokenizer.json'), '{"version":');
    const torn = loadEmbedder({ name: 'memory/torn', modelDir, allowDownload: false });
    await assert.rejects(torn, /^Error: Embedding model memory\/torn in .+ cannot be loaded: .+$/);
  });
});
