import type { Database } from '../../db/driver/database.ts';
import {
  type Language,
  type RetrievalSet,
  readRetrievalSet,
  withQuestions,
} from '../../test/support/retrieval-set.ts';
import { findCodes, placeCodes } from './codes.ts';
import { askAll, findArticles, indexedTexts, type ModelVectors, placeOf, storeParagraphs } from './legs.ts';
import type { BenchModel } from './model.ts';
import { type Quality, qualityOf } from './quality.ts';
import { type Bm25Constants, bestFirst, OF_THE_SERVICE, openBm25, TEXTBOOK } from './reference-bm25.ts';
import { pointsWithEvidence } from './reference-evidence.ts';
import type { RetrievalReport } from './report.ts';
import { correlatedVectors, independentVectors, type SetVectors, uselessVectors } from './stand-ins.ts';

/** A vector leg to be measured beside the keywords. */
interface VectorLeg {
  name: string;
  vectors: SetVectors;
  /** Of the vectors in the fusion; 1 by default. */
  weight?: number;
  /** By how many points of hit@1 what is fused may be worse than the better leg; null: shown and not held. */
  tolerance: number | null;
  /** Points of hit@1 that the vectors must add to the words; null: not held. */
  gain?: number | null;
}

/** Errors that have nothing to do with each other cancel out; those that both legs make stay. */
const TOLERANCE = { independent: 1, correlated: 2, model: 2 };

/** What the English model adds to words in English. */
const GAIN = 1;

const CODES_SEED = 105;
const CODES_MODEL = 'stand-in/codes';

/** What to measure with. */
export interface Measured {
  database: Database;
  /** Of the retrieval set. */
  folder: string;
  model: BenchModel;
  /** Whether the model is all that is measured, without stand-ins. */
  isOwnModel: boolean;
  /** At most so many questions of each language. */
  questions: number;
}

/** All that is measured of one language: one table, and the bounds that it breaks. */
export async function measureLanguage(
  measured: Measured,
  language: Language,
  report: RetrievalReport,
): Promise<void> {
  const { database, folder, model, isOwnModel, questions } = measured;
  const whole = await readRetrievalSet(folder, language);
  const set = withQuestions(whole, questions);
  report.table(`${language}: ${set.paragraphs.length} paragraphs, ${set.questions.length} questions`);
  const legs = isOwnModel ? [] : standInLegs(set);
  // The gain is held of the model that is always the same, over all questions.
  const gain = set === whole && !isOwnModel ? GAIN : null;
  if (model.knows(language)) legs.push({ ...(await modelLeg(set, model)), gain });
  const stored = await storeParagraphs(
    database,
    set.paragraphs,
    legs.map(({ name, vectors }) => ({ model: name, vectors: vectors.paragraphs })),
  );
  report.row('BM25 in JavaScript, k1 1.2, b 0.75', askBm25(set, TEXTBOOK));
  report.row("BM25 in JavaScript, the service's constants", askBm25(set, OF_THE_SERVICE));
  const reference = askBm25(set, OF_THE_SERVICE, true);
  report.row('  with the evidence of the article', reference);
  let keywords: Quality | null = null;
  for (const { name, vectors, weight, tolerance, gain } of legs) {
    const places = await askAll(stored, set.questions, { model: name, weight, vectors: vectors.questions });
    if (keywords === null) {
      keywords = qualityOf(places.keyword);
      report.row('keywords', keywords);
      // Of a part of the questions nothing was measured before.
      if (set === whole) report.holdKeywords(language, keywords);
      report.holdEqual(language, keywords, reference);
    }
    const [semantic, fused] = [qualityOf(places.semantic), qualityOf(places.fused)];
    report.row(`vectors: ${name}`, semantic);
    report.row('  with keywords', fused);
    if (tolerance !== null) report.holdFused(`${language}, ${name}`, [keywords, semantic], fused, tolerance);
    if (gain != null) report.holdGain(`${language}, ${name}`, keywords, fused, gain);
  }
  report.titles(language, await findArticles(stored, set));
  if (!isOwnModel) await measureForeign(measured, set, report);
  await measureCodes(database, set, report);
}

function standInLegs(set: RetrievalSet): VectorLeg[] {
  return [
    {
      name: 'stand-in, errors of its own',
      vectors: independentVectors(set),
      tolerance: TOLERANCE.independent,
    },
    {
      name: 'stand-in, errors as of keywords',
      vectors: correlatedVectors(set),
      tolerance: TOLERANCE.correlated,
    },
    { name: 'stand-in, useless', vectors: uselessVectors(set), tolerance: null },
  ];
}

async function modelLeg(set: RetrievalSet, model: BenchModel): Promise<VectorLeg> {
  const { name, weight } = model;
  return { name, weight, vectors: await model.vectorsOf(set), tolerance: TOLERANCE.model };
}

/**
 * How well BM25 in JavaScript finds the paragraphs, without a database.
 * @param evidence whether the other paragraphs of the article count too, as in the service
 */
function askBm25(set: RetrievalSet, constants: Bm25Constants, evidence = false): Quality {
  const bm25 = openBm25(indexedTexts(set.paragraphs), constants);
  const articles = set.paragraphs.map(({ article }) => article);
  return qualityOf(
    set.questions.map(({ question, paragraph }) => {
      const bare = bm25.points(question);
      const scores = evidence ? pointsWithEvidence(bare, articles, bestFirst(bare)) : bare;
      return placeOf(bestFirst(scores), paragraph);
    }),
  );
}

/** Questions in another language than the paragraphs: names and numbers are all that keywords can find. */
async function measureForeign(
  { database, folder, questions: count }: Measured,
  set: RetrievalSet,
  report: RetrievalReport,
): Promise<void> {
  const language: Language = set.language === 'en' ? 'de' : 'en';
  const { questions } = withQuestions(await readRetrievalSet(folder, language), count);
  const vectors = independentVectors({ ...set, questions });
  const model: ModelVectors = { model: 'stand-in/foreign', vectors: vectors.paragraphs };
  const stored = await storeParagraphs(database, set.paragraphs, [model]);
  const places = await askAll(stored, questions, { ...model, vectors: vectors.questions });
  const keywords = qualityOf(places.keyword);
  const semantic = qualityOf(places.semantic);
  const fused = qualityOf(places.fused);
  report.row(`keywords, questions in ${language}`, keywords);
  report.row('vectors: stand-in, errors of its own', semantic);
  report.row('  with keywords', fused);
  const name = `${set.language}, questions in ${language}`;
  report.holdFused(name, [keywords, semantic], fused, TOLERANCE.independent);
}

/** Codes, in paragraphs that the vector leg does not prefer. */
async function measureCodes(database: Database, set: RetrievalSet, report: RetrievalReport): Promise<void> {
  const placed = placeCodes(set, CODES_SEED);
  const vectors = independentVectors(set);
  const stored = await storeParagraphs(database, placed.set.paragraphs, [
    { model: CODES_MODEL, vectors: vectors.paragraphs },
  ]);
  const ofQuestions = { model: CODES_MODEL, vectors: vectors.questions };
  report.codes(set.language, await findCodes(stored, set, placed.codes, ofQuestions));
}
