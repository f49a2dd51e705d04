import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { findCodes, type PlacedCode, placeCodes } from '../../../bench/retrieval/codes.ts';
import {
  askAll,
  findArticles,
  type StoredParagraphs,
  storeParagraphs,
} from '../../../bench/retrieval/legs.ts';
import { points, qualityOf } from '../../../bench/retrieval/quality.ts';
import {
  correlatedVectors,
  independentVectors,
  type SetVectors,
} from '../../../bench/retrieval/stand-ins.ts';
import { openTestDatabase } from '../../support/needs/database.ts';
import {
  NO_RETRIEVAL_SET,
  type RetrievalSet,
  readRetrievalSet,
  retrievalFolder,
  withQuestions,
} from '../../support/retrieval-set.ts';

/** Enough to tell a fault from chance, and quick: the whole set is for `npm run bench:retrieval`. */
const QUESTIONS = 250;
/** Spanish is the hardest of the six for vectors of correlated errors. */
const LANGUAGE = 'es';
/** One of each kind. */
const CODES = 10;
const CODES_SEED = 31;

/** In points of hit@1: what is fused may be so much worse than the better of its legs. */
const INDEPENDENT_TOLERANCE = 1;
const CORRELATED_TOLERANCE = 2;

const folder = retrievalFolder();
// Outside of `before`: what a hook opens is closed when the hook ends.
const database = folder === null ? null : await openTestDatabase();

describe('keywords and vectors of stand-ins', { skip: folder === null && NO_RETRIEVAL_SET }, () => {
  let set: RetrievalSet;
  let codes: PlacedCode[];
  let stored: StoredParagraphs;
  const vectors: Record<string, SetVectors> = {};

  // One corpus: vectors carry their model, so that it holds those of both stand-ins.
  before(async () => {
    const whole = withQuestions(await readRetrievalSet(folder ?? '', LANGUAGE), QUESTIONS);
    ({ set, codes } = placeCodes(whole, CODES_SEED));
    vectors['independent'] = independentVectors(whole);
    vectors['correlated'] = correlatedVectors(whole);
    const models = Object.entries(vectors).map(([model, of]) => ({ model, vectors: of.paragraphs }));
    stored = await storeParagraphs(database!, set.paragraphs, models);
  });

  for (const [model, tolerance] of [
    ['independent', INDEPENDENT_TOLERANCE],
    ['correlated', CORRELATED_TOLERANCE],
  ] as const) {
    test(`fused results find the paragraph as often as the better leg, with ${model} errors`, async () => {
      const ofQuestions = vectors[model]?.questions ?? [];
      const places = await askAll(stored, set.questions, { model, vectors: ofQuestions });
      const [keyword, semantic, fused] = [places.keyword, places.semantic, places.fused].map((of) =>
        points(qualityOf(of).hitAt1),
      ) as [number, number, number];
      const told = `keywords ${keyword.toFixed(1)}, vectors ${semantic.toFixed(1)}, both ${fused.toFixed(1)}`;
      assert.ok(fused >= Math.max(keyword, semantic) - tolerance, told);
    });
  }

  test('a paragraph is first if only keywords know it by its code, for the code and for a question with it', async () => {
    const ofQuestions = { model: 'independent', vectors: vectors['independent']?.questions ?? [] };
    for (const found of await findCodes(stored, set, codes.slice(0, CODES), ofQuestions)) {
      assert.deepEqual(found, { ...found, alone: found.codes, insideQuestion: found.codes });
    }
  });

  test('the title of an article alone finds all of its paragraphs first', async () => {
    assert.ok((await findArticles(stored, set)) >= 0.97);
  });
});
