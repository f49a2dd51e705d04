import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The languages that search is judged by. */
export const LANGUAGES = ['en', 'de', 'es', 'ru', 'zh', 'th'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Questions in one language, each with the one paragraph that answers it: XQuAD-R, as JSON. */
export interface RetrievalSet {
  language: Language;
  paragraphs: { article: string; text: string }[];
  /** `paragraph` is an index into `paragraphs`. */
  questions: { question: string; paragraph: number }[];
}

/** The folder that MEMORY_TEST_XQUAD_R names, or null where it is unset or empty. */
export function retrievalFolder(): string | null {
  return process.env['MEMORY_TEST_XQUAD_R']?.trim() || null;
}

/**
 * Reads the set of one language, `<folder>/<language>.json`.
 * @throws Error of one line if the set does not exist
 */
export async function readRetrievalSet(folder: string, language: Language): Promise<RetrievalSet> {
  const file = join(folder, `${language}.json`);
  if (!existsSync(file)) throw new Error(`MEMORY_TEST_XQUAD_R: there is no ${file}`);
  return JSON.parse(await readFile(file, 'utf8')) as RetrievalSet;
}

/** The same with so many of its questions, evenly from all articles; all of them where it has no more. */
export function withQuestions(set: RetrievalSet, count: number): RetrievalSet {
  const all = set.questions.length;
  const from = (index: number) => set.questions[Math.floor((index * all) / count)];
  if (count >= all) return set;
  return { ...set, questions: Array.from({ length: count }, (_, index) => from(index) ?? []).flat() };
}
