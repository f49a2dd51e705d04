import type { Database } from '../../db/driver/database.ts';
import { type ChunkSet, conversationSets, sentenceSets } from './conversations/chunk-sets.ts';
import { searchParagraphs, storeParagraphs } from './legs.ts';
import type { ChunkQuality } from './quality.ts';
import type { RetrievalReport } from './report.ts';
import { independentVectors } from './stand-ins.ts';

/** The sets of short and long chunks that can be named on the command line. */
export const CHUNK_SETS = ['conversations', 'sentences'] as const;
export type ChunkSetName = (typeof CHUNK_SETS)[number];

const STAND_IN = 'stand-in/independent';

/**
 * Measures chunks of conversations, or sentences: by keywords, and with stand-ins for vectors.
 * @param questions at most so many of each set
 */
export async function measureChunks(
  database: Database,
  name: ChunkSetName,
  { folder, questions }: { folder: string; questions: number },
  report: RetrievalReport,
): Promise<void> {
  const sets = name === 'conversations' ? conversationSets() : await sentenceSets(folder);
  for (const set of sets) await measureSet(database, withSome(set, questions), report);
}

/** Some of the questions, evenly from all. */
function withSome(set: ChunkSet, count: number): ChunkSet {
  const step = Math.max(1, Math.ceil(set.questions.length / count));
  return { ...set, questions: set.questions.filter((_, index) => index % step === 0) };
}

async function measureSet(database: Database, set: ChunkSet, report: RetrievalReport): Promise<void> {
  const { name, paragraphs, questions } = set;
  const vectors = independentVectors({
    language: 'en',
    paragraphs,
    questions: questions.map(({ question, evidence }) => ({ question, paragraph: evidence[0] ?? 0 })),
  });
  const stored = await storeParagraphs(database, paragraphs, [
    { model: STAND_IN, vectors: vectors.paragraphs },
  ]);
  const keyword: number[][] = [];
  const semantic: number[][] = [];
  const fused: number[][] = [];
  for (const [index, { question }] of questions.entries()) {
    const embedding = vectors.questions[index] as Float32Array;
    keyword.push((await searchParagraphs(stored, question, null)).keyword);
    const both = await searchParagraphs(stored, question, { model: STAND_IN, embedding });
    semantic.push(both.semantic);
    fused.push(both.fused);
  }
  report.chunkTable(`${name}: ${paragraphs.length} passages, ${questions.length} questions`);
  report.chunkRow('keywords', chunkQuality(set, keyword));
  report.chunkRow('vectors: stand-in, errors of its own', chunkQuality(set, semantic));
  report.chunkRow('  with keywords', chunkQuality(set, fused));
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
