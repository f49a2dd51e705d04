import type { Database } from '../../db/driver/database.ts';
import { type ChunkSet, conversationSets, sentenceSets } from './conversations/chunk-sets.ts';
import { searchParagraphs, storeParagraphs } from './legs.ts';
import type { BenchModel } from './model.ts';
import type { ChunkQuality } from './quality.ts';
import type { RetrievalReport } from './report.ts';
import { independentVectors, type SetVectors } from './stand-ins.ts';

/** The sets of short and long chunks that can be named on the command line. */
export const CHUNK_SETS = ['conversations', 'sentences'] as const;
export type ChunkSetName = (typeof CHUNK_SETS)[number];

const STAND_IN = 'stand-in, errors of its own';

/** Points of hit@1 that the vectors of a model may take from words, at most. */
const LOSS = 0.2;

/** What a set is measured with. */
interface MeasuredChunks {
  /** Of the retrieval set. */
  folder: string;
  model: BenchModel;
  /** Whether the model is all that is measured, without stand-ins. */
  isOwnModel: boolean;
  /** At most so many of each set. */
  questions: number;
}

/** Measures chunks of conversations, or sentences: by keywords, with stand-ins for vectors, and with a model. */
export async function measureChunks(
  database: Database,
  name: ChunkSetName,
  measured: MeasuredChunks,
  report: RetrievalReport,
): Promise<void> {
  const sets = name === 'conversations' ? conversationSets() : await sentenceSets(measured.folder);
  for (const set of sets) await measureSet(database, withSome(set, measured.questions), measured, report);
}

/** Some of the questions, evenly from all. */
function withSome(set: ChunkSet, count: number): ChunkSet {
  const step = Math.max(1, Math.ceil(set.questions.length / count));
  return { ...set, questions: set.questions.filter((_, index) => index % step === 0) };
}

/** Vectors of a set, and how much they count. */
interface Leg {
  name: string;
  weight?: number;
  vectors: SetVectors;
}

async function legsOf(set: ChunkSet, { model, isOwnModel }: MeasuredChunks): Promise<Leg[]> {
  const { paragraphs, questions } = set;
  const legs: Leg[] = [];
  if (!isOwnModel) {
    const first = questions.map(({ question, evidence }) => ({ question, paragraph: evidence[0] ?? 0 }));
    const vectors = independentVectors({ language: 'en', paragraphs, questions: first });
    legs.push({ name: STAND_IN, vectors });
  }
  if (model.knows(set.language)) {
    const { name, weight } = model;
    legs.push({ name, weight, vectors: await model.vectorsOf(set) });
  }
  return legs;
}

async function measureSet(
  database: Database,
  set: ChunkSet,
  measured: MeasuredChunks,
  report: RetrievalReport,
): Promise<void> {
  const { name, paragraphs, questions } = set;
  const legs = await legsOf(set, measured);
  const stored = await storeParagraphs(
    database,
    paragraphs,
    legs.map((leg) => ({ model: leg.name, vectors: leg.vectors.paragraphs })),
  );
  const keyword: number[][] = [];
  for (const { question } of questions) {
    keyword.push((await searchParagraphs(stored, question, null)).keyword);
  }
  const words = chunkQuality(set, keyword);
  report.chunkTable(`${name}: ${paragraphs.length} passages, ${questions.length} questions`);
  report.chunkRow('keywords', words);
  for (const { name: model, weight, vectors } of legs) {
    const semantic: number[][] = [];
    const fused: number[][] = [];
    for (const [index, { question }] of questions.entries()) {
      const embedding = vectors.questions[index] as Float32Array;
      const both = await searchParagraphs(stored, question, { model, embedding, weight });
      semantic.push(both.semantic);
      fused.push(both.fused);
    }
    const both = chunkQuality(set, fused);
    report.chunkRow(`vectors: ${model}`, chunkQuality(set, semantic));
    report.chunkRow('  with keywords', both);
    report.holdGain(`${name}, ${model}`, words, both, -LOSS);
  }
}

/** @param found the chunks that each question found, best first */
function chunkQuality({ questions }: ChunkSet, found: readonly number[][]): ChunkQuality {
  const mean = (share: (evidence: number[], hits: number[]) => number) =>
    questions.reduce((sum, { evidence }, index) => sum + share(evidence, found[index] ?? []), 0) /
    questions.length;
  const anyOf = (evidence: number[], hits: number[]) =>
    evidence.some((chunk) => hits.includes(chunk)) ? 1 : 0;
  return {
    hitAt1: mean((evidence, hits) => anyOf(evidence, hits.slice(0, 1))),
    hitAt5: mean((evidence, hits) => anyOf(evidence, hits.slice(0, 5))),
    recallAt10: mean((evidence, hits) => {
      const first = hits.slice(0, 10);
      return evidence.filter((chunk) => first.includes(chunk)).length / evidence.length;
    }),
  };
}
