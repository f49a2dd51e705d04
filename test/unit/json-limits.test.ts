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

/** The fields of a record besides its texts. */
const FIELDS = { title: 'x', tags: TAGS, expiresAt: 'x', scope: { clientId: 'x' } };

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
    it(`accept the largest ingest, embeddings and complete: ${encoding}`, () => {
      const chunks = list(2_000, () => ({ text: 'x', embedding }));
      const embeddings = list(256, () => ({ chunkId: 'x', embedding }));
      const given = { uri: 'x', externalId: 'x', occurredAt: 'x', ...FIELDS, ...CLAIM };
      const captureIds = list(MAX_BATCH, (n) => `id ${n}`);
      const item = {
        captureIds,
        action: 'publish',
        content: 'x',
        supersedes: 'x',
        embedding,
        ...FIELDS,
        ...CLAIM,
      };
      assert.equal(refusal({ batchId: 'x', ...CLAIM, embeddings }, EMBEDDINGS_JSON_LIMITS), null);
      for (const metadata of [...WORST, ...REAL])
        assert.equal(refusal({ ...given, chunks, metadata }, INGEST_JSON_LIMITS), null);
      for (const metadata of REAL) {
        const items = list(MAX_ITEMS, () => ({ ...item, metadata }));
        assert.equal(refusal({ batchId: 'x', items }, COMPLETE_JSON_LIMITS), null);
      }
    });
  }

  it('accept a capture and an item of a complete with any metadata, and the largest lists of other routes', () => {
    for (const metadata of WORST) {
      const items = [{ captureIds: ['x'], action: 'publish', metadata }];
      assert.equal(refusal({ batchId: 'x', items }, COMPLETE_JSON_LIMITS), null);
      assert.equal(refusal({ sessionId: 'x', summary: 'x', metadata }, DEFAULT_JSON_LIMITS), null);
    }
    const item = { filename: 'x', mediaType: 'x', text: 'x', ...FIELDS };
    const file = { path: 'x', baseVersion: 1, contentBase64: 'x', sha256: 'x' };
    const decision = { action: 'update', memoryId: 'x', version: 1, content: 'x', ...FIELDS };
    for (const body of [
      { items: list(MAX_IMPORTS_PER_REQUEST, () => item) },
      { files: list(MAX_FILES_PER_REQUEST, () => file) },
      { decisions: list(100, () => decision) },
    ])
      assert.equal(refusal(body, DEFAULT_JSON_LIMITS), null);
  });
});
