import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Embedder, loadEmbedder } from '../../../worker/embedder/model.ts';
import { LARGE_MODEL, writeLargeModel } from './large-model.ts';

/** The shape of the large model, in two layers and with few tokens: some 30 MB instead of 560. */
const TINY = { layers: 2, vocabulary: 4000 };
const texts = [
  'The invoice of March was paid by the city council on Friday.',
  'On Friday the city council paid the March invoice.',
  'Our kitchen garden needs new soil before the tomatoes go in.',
  '市议会在星期五支付了三月份的发票。',
];

let modelDir: string;
let embedder: Embedder;

before(async () => {
  modelDir = await mkdtemp(path.join(os.tmpdir(), 'large-model-test-'));
  await writeLargeModel(modelDir, TINY);
  embedder = await loadEmbedder({ name: LARGE_MODEL, modelDir, allowDownload: false });
});

after(async () => {
  await embedder?.close();
  await rm(modelDir, { recursive: true, force: true });
});

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

describe('the random model of the large shape', () => {
  it('returns 1,024 finite numbers of length 1, for texts without letters and of over 512 tokens too', async () => {
    for (const text of [...texts, '', '😀', 'The council met again and spoke of roads. '.repeat(120)]) {
      const vector = await embedder.embed(text, 'passage');
      assert.equal(vector.length, 1024);
      assert.ok(vector.every(Number.isFinite));
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    }
  });

  it('returns the same vector for the same text', async () => {
    const first = await embedder.embed(texts[0]!, 'passage');
    assert.deepEqual(await embedder.embed(texts[0]!, 'passage'), first);
  });

  it('returns different vectors for different texts and for another order of words', async () => {
    const vectors: Float32Array[] = [];
    for (const text of [...texts, 'council city the Friday On paid the invoice March.']) {
      vectors.push(await embedder.embed(text, 'passage'));
    }
    for (const [index, one] of vectors.entries()) {
      for (const other of vectors.slice(index + 1)) assert.ok(cosine(one, other) < 0.999);
    }
  });
});
