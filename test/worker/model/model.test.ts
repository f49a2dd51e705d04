import assert from 'node:assert/strict';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pipeline } from '@xenova/transformers';
import { type Embedder, loadEmbedder } from '../../../worker/embedder/model.ts';
import { endProcesses, temporaryFolder } from '../../support/needs/process.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';
import { openModelHub } from './model-hub.ts';

const prefixedModel = 'Xenova/multilingual-e5-large';
const sentences = {
  English: [
    'The invoice of March was paid by the city council on Friday.',
    'On Friday the city council paid the March invoice.',
    'Our kitchen garden needs new soil before the tomatoes go in.',
  ],
  Chinese: [
    '市议会在星期五支付了三月份的发票。',
    '三月份的发票已由市议会在星期五付清。',
    '种番茄之前，我们的菜园需要换新土。',
  ],
  Thai: [
    'สภาเมืองชำระใบแจ้งหนี้เดือนมีนาคมเมื่อวันศุกร์',
    'ใบแจ้งหนี้เดือนมีนาคมสภาเมืองชำระแล้วในวันศุกร์',
    'สวนครัวของเราต้องเปลี่ยนดินใหม่ก่อนปลูกมะเขือเทศ',
  ],
} as const;

// All tests of this process lose the network: it is not shared with other files.
let modelDir: string;
let embedder: Embedder;
const realFetch = globalThis.fetch;

before(async () => {
  modelDir = await temporaryFolder();
  await writeTestModel(modelDir);
  await writeTestModel(modelDir, { name: prefixedModel });
  await writeTestModel(modelDir, { name: 'memory/narrow', width: 512 });
  globalThis.fetch = () => Promise.reject(new Error('this test has no network'));
  embedder = await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
});

after(async () => {
  globalThis.fetch = realFetch;
  await embedder?.close();
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

  for (const [language, [text, nearCopy, unrelated]] of Object.entries(sentences)) {
    it(`is nearer to that of a near-copy than to that of an unrelated text in ${language}`, async () => {
      const vector = await embedder.embed(text, 'query');
      const near = cosine(vector, await embedder.embed(nearCopy, 'passage'));
      const far = cosine(vector, await embedder.embed(unrelated, 'passage'));
      assert.ok(near > far + 0.2, `near-copy ${near}, unrelated ${far}`);
    });
  }

  it('differs between characters outside the vocabulary', async () => {
    const [one, other] = [await embedder.embed('𠀀', 'query'), await embedder.embed('𪚥', 'query')];
    assert.ok(cosine(one, other) < 0.9);
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
    await prefixed.close();
  });
});

describe('loading a model', () => {
  it('names the model and the folder in one line if files are missing', async () => {
    await assert.rejects(loadEmbedder({ name: 'Xenova/bge-m3', modelDir, allowDownload: false }), {
      message: `Embedding model Xenova/bge-m3 is missing: no config.json in ${path.join(modelDir, 'Xenova/bge-m3')}, and downloads are not allowed`,
    });
  });

  it('names the model, the folder and the reason in one line if the download fails', async () => {
    await assert.rejects(loadEmbedder({ name: 'Xenova/bge-m3', modelDir, allowDownload: true }), {
      message: `Embedding model Xenova/bge-m3 is missing: no config.json in ${path.join(modelDir, 'Xenova/bge-m3')}, and the download failed (this test has no network)`,
    });
  });

  it('refuses a name that leads out of the model folder', async () => {
    await assert.rejects(
      loadEmbedder({ name: '../elsewhere', modelDir, allowDownload: true }),
      /owner\/name/,
    );
  });

  it('refuses a model with another number of dimensions', async () => {
    await assert.rejects(loadEmbedder({ name: 'memory/narrow', modelDir, allowDownload: false }), {
      message: 'Embedding model memory/narrow gives vectors of 512 numbers; 1024 are needed',
    });
  });

  it('names a model that cannot be read, in one line', async () => {
    await writeTestModel(modelDir, { name: 'memory/torn' });
    await writeFile(path.join(modelDir, 'memory/torn/tokenizer.json'), '{"version":');
    const torn = loadEmbedder({ name: 'memory/torn', modelDir, allowDownload: false });
    await assert.rejects(torn, /^Error: Embedding model memory\/torn in .+ cannot be loaded: .+$/);
  });

  it('fetches the model once, and needs no hub afterwards', async () => {
    const target = await mkdtemp(path.join(modelDir, 'fetched-'));
    const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'];
    const files = new Map<string, Buffer>();
    for (const name of names) files.set(name, await readFile(path.join(modelDir, TEST_MODEL, name)));
    const hub = await openModelHub({ files });
    const blocked = globalThis.fetch;
    globalThis.fetch = realFetch;
    try {
      const settings = { name: TEST_MODEL, modelDir: target, allowDownload: true, hub: hub.url };
      await (await loadEmbedder(settings)).close();
    } finally {
      globalThis.fetch = blocked;
      hub.close();
    }
    assert.deepEqual([...new Set(hub.requests.map(({ file }) => file))], names);
    await (await loadEmbedder({ name: TEST_MODEL, modelDir: target, allowDownload: true })).close();
  });

  it('can be closed twice', async () => {
    const closing = await loadEmbedder({ name: TEST_MODEL, modelDir, allowDownload: false });
    await closing.close();
    await closing.close();
    await assert.rejects(closing.embed('text', 'query'), /is closed/);
  });
});
