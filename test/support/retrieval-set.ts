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

/** Why tests without the set are skipped, and where it is. */
export const NO_RETRIEVAL_SET =
  'MEMORY_TEST_XQUAD_R names no folder with XQuAD-R, which is public: folder xquad-r of https://github.com/google-research-datasets/lareqa';

/** A file of XQuAD-R as it is published, as far as it is used here. */
interface PublishedSet {
  data: { title: string; paragraphs: { context: string; qas: { question: string }[] }[] }[];
}

/** The paragraphs of a published file in their order, and their questions. */
export function fromPublished(language: Language, { data }: PublishedSet): RetrievalSet {
  const all = data.flatMap(({ title, paragraphs }) =>
    paragraphs.map((paragraph) => ({ title, ...paragraph })),
  );
  return {
    language,
    paragraphs: all.map(({ title, context }) => ({ article: title, text: context })),
    questions: all.flatMap(({ qas }, paragraph) => qas.map(({ question }) => ({ question, paragraph }))),
  };
}

/** The folder that MEMORY_TEST_XQUAD_R names, or null where it is unset or empty. */
export function retrievalFolder(): string | null {
  return process.env['MEMORY_TEST_XQUAD_R']?.trim() || null;
}

/**
 * Reads the set of one language, `<folder>/<language>.json`: a published file, or one that is written as a
 * `RetrievalSet`.
 * @throws Error of one line if the set does not exist
 */
export async function readRetrievalSet(folder: string, language: Language): Promise<RetrievalSet> {
  const file = join(folder, `${language}.json`);
  if (!existsSync(file)) throw new Error(`MEMORY_TEST_XQUAD_R: there is no ${file}`);
  const set = JSON.parse(await readFile(file, 'utf8')) as RetrievalSet | PublishedSet;
  return 'data' in set ? fromPublished(language, set) : set;
}

/** The same with so many of its questions, evenly from all articles; all of them where it has no more. */
export function withQuestions(set: RetrievalSet, count: number): RetrievalSet {
  const all = set.questions.length;
  const from = (index: number) => set.questions[Math.floor((index * all) / count)];
  if (count >= all) return set;
  return { ...set, questions: Array.from({ length: count }, (_, index) => from(index) ?? []).flat() };
}

/** The title of an article, as people write it. */
export const titleOf = (article: string) => article.replaceAll('_', ' ');
