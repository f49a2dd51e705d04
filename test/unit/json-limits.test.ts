import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  COMPLETE_JSON_LIMITS,
  DEFAULT_JSON_LIMITS,
  EMBEDDINGS_JSON_LIMITS,
  INGEST_JSON_LIMITS,
  type JsonLimits,
  JsonShape,
} from '../../api/http/bodies/read-body.ts';
import { MAX_TAGS } from '../../shared/formats/names.ts';
import { MAX_BATCH, MAX_ITEMS } from '../../shared/schemas/consolidation.ts';
import { MAX_IMPORTS_PER_REQUEST } from '../../shared/schemas/imports.ts';
import { MAX_FILES_PER_REQUEST } from '../../shared/schemas/workspace.ts';

const METADATA_BYTES = 16 * 1024;
const CLAIM = { embeddingModel: 'm', embeddingDim: 1024 };
const NUMBERS = Array.from({ length: 1024 }, () => 0.5);
const TAGS = Array.from({ length: MAX_TAGS }, (_, n) => `tag ${n}`);

const list = <T>(length: number, make: (index: number) => T) => Array.from({ length }, (_, n) => make(n));

/** Metadata of 16 KiB: a list of as many values as fit. */
const filled = (value: unknown) => ({
  list: list(Math.floor((METADATA_BYTES - 20) / (JSON.stringify(value).length + 1)), () => value),
});

/** Metadata of 16 KiB that is full of the parts which take least room. */
const WORST = [filled([]), filled({}), filled({ '': 1 }), filled(''), filled(1), filled({ '': '' })];
/** Metadata of 16 KiB as programs write it. */
const REAL = [
  filled({ id: 'a1', name: 'Ada' }),
  filled({ from: 10, to: 25, speaker: 'Ada' }),
  filled([10, 25, 'Ada', 'word']),
  filled('a-word'),
  filled(17),
  Object.fromEntries(list(1_000, (n) => [`key-${n}`, n])),
];

function refusal(body: unknown, limits: JsonLimits): string | null {
  const shape = new JsonShape(limits);
  shape.add(Buffer.from(JSON.stringify(body)));
  return shape.fault?.message ?? null;
}

const ENCODINGS = { numbers: NUMBERS, base64: 'QUJD' };

describe('the limits for the JSON of bodies', () => {
  for (const [encoding, embedding] of Object.entries(ENCODINGS)) {
    it(`accept an ingest of 2,000 chunks with vectors and any metadata: ${encoding}`, () => {
      const chunks = list(2_000, () => ({ text: 'x', embedding }));
      const scope = { clientId: 'x' };
      for (const metadata of [...WORST, ...REAL]) {
        const fields = { title: 'x', uri: 'x', externalId: 'x', expiresAt: 'x', tags: TAGS, scope };
        assert.equal(refusal({ ...fields, ...CLAIM, chunks, metadata }, INGEST_JSON_LIMITS), null);
      }
    });

    it(`accept 256 embeddings: ${encoding}`, () => {
      const embeddings = list(256, () => ({ chunkId: 'x', embedding }));
      assert.equal(refusal({ batchId: 'x', ...CLAIM, embeddings }, EMBEDDINGS_JSON_LIMITS), null);
    });

    it(`accept a complete of ${MAX_ITEMS} items, each with 16 KiB of metadata as programs write it: ${encoding}`, () => {
      for (const metadata of REAL) {
        const items = list(MAX_ITEMS, () => ({
          captureIds: list(MAX_BATCH, (n) => `id ${n}`),
          action: 'publish',
          title: 'x',
          content: 'x',
          scope: { clientId: 'x' },
          tags: TAGS,
          expiresAt: 'x',
          supersedes: 'x',
          ...CLAIM,
          embedding,
          metadata,
        }));
        assert.equal(refusal({ batchId: 'x', items }, COMPLETE_JSON_LIMITS), null);
      }
    });
  }

  it('accept a complete with an item of any metadata', () => {
    for (const metadata of WORST) {
      const items = [{ captureIds: ['x'], action: 'publish', metadata }];
      assert.equal(refusal({ batchId: 'x', items }, COMPLETE_JSON_LIMITS), null);
    }
  });

  it('accept a capture of any metadata, and the largest lists of other routes', () => {
    for (const metadata of WORST) {
      assert.equal(refusal({ sessionId: 'x', summary: 'x', metadata }, DEFAULT_JSON_LIMITS), null);
    }
    const item = { filename: 'x', mediaType: 'x', title: 'x', text: 'x', tags: TAGS, expiresAt: 'x' };
    const items = list(MAX_IMPORTS_PER_REQUEST, () => item);
    assert.equal(refusal({ items, scope: { clientId: 'x' } }, DEFAULT_JSON_LIMITS), null);
    const file = { path: 'x', baseVersion: 1, contentBase64: 'x', sha256: 'x' };
    const files = list(MAX_FILES_PER_REQUEST, () => file);
    assert.equal(refusal({ files }, DEFAULT_JSON_LIMITS), null);
    const fields = { title: 'x', content: 'x', tags: TAGS, expiresAt: 'x' };
    const decisions = list(100, () => ({ action: 'update', memoryId: 'x', version: 1, ...fields }));
    assert.equal(refusal({ decisions }, DEFAULT_JSON_LIMITS), null);
  });
});
