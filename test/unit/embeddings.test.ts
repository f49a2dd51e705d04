import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseIngest } from '../../core/sources/ingest.ts';
import { EMBEDDING_DIM, normalizeEmbedding } from '../../shared/embeddings.ts';
import { base64Of } from '../support/base64-vector.ts';
import { countTurns } from '../support/count-turns.ts';

const PATH = '/queryEmbedding';
const vectors = fc.float32Array({
  minLength: EMBEDDING_DIM,
  maxLength: EMBEDDING_DIM,
  noNaN: true,
  noDefaultInfinity: true,
});

const lengthOf = (vector: Float32Array) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

describe('a vector that a client sends', () => {
  it('has the same numbers and length 1, whether it is sent as numbers or as base64', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        fc.pre(vector.some((value) => value !== 0));
        const unit = normalizeEmbedding([...vector], PATH);
        assert.deepEqual(normalizeEmbedding(base64Of(vector), PATH), unit);
        assert.ok(Math.abs(lengthOf(unit) - 1) < 1e-5);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps its direction if its numbers are the smallest or the largest of float32', () => {
    for (const value of [1.401298464324817e-45, 3.4028234663852886e38, -3.4028234663852886e38]) {
      const vector = Array.from({ length: EMBEDDING_DIM }, () => value);
      const unit = normalizeEmbedding(base64Of(vector), PATH);
      assert.ok(
        unit.every((number) => number === Math.sign(value) / 32),
        String(value),
      );
    }
  });

  it('lets the event loop turn between the vectors of a large ingest', async () => {
    const embedding = base64Of(Array.from({ length: EMBEDDING_DIM }, (_, index) => index));
    const chunks = Array.from({ length: 20_000 }, () => ({ text: 'x', embedding }));
    const claim = { embeddingModel: 'm', embeddingDim: EMBEDDING_DIM };
    const turns = await countTurns(async () => {
      const { embeddings } = await parseIngest({ title: 'x', chunks, ...claim }, 'm');
      assert.equal(embeddings.length, chunks.length);
    });
    assert.ok(turns > 0);
  });
});
