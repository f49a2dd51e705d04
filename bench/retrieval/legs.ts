import { type Database, transaction } from '../../db/driver/database.ts';
import { searchChunks } from '../../db/queries/search/search.ts';
import { SEARCHED } from '../../db/queries/search/terms.ts';
import { insertEmbeddings } from '../../db/queries/sources/chunks.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { fieldsNow, fieldsText } from '../../shared/text/prepared-chunks.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { createTestCompany } from '../../test/support/needs/database.ts';
import { type RetrievalSet, titleOf } from '../../test/support/retrieval-set.ts';
import { ownerScope } from '../../test/support/scopes.ts';
import { storeSource } from '../../test/support/sources.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import type { IndexedText } from './reference-bm25.ts';

/** Paragraphs in a Team of their own, each a chunk. */
export interface StoredParagraphs {
  database: Database;
  scope: TeamScope;
  /** Of each paragraph, its chunk. */
  chunkIds: string[];
}

/** The paragraphs with the fields that find them. */
export function indexedTexts(paragraphs: readonly { article: string; text: string }[]): IndexedText[] {
  return paragraphs.map(({ article, text }) => ({
    text,
    fields: fieldsText(fieldsNow(titleOf(article)), []),
  }));
}

/** Vectors of all the paragraphs, and the model whose they are said to be. */
export interface ModelVectors {
  model: string;
  /** Of the vectors in the fusion; 1 by default. */
  weight?: number | undefined;
  vectors: readonly Float32Array[];
}

/** The day of all sources: its numbers are words of each passage, so that figures of other days would differ. */
const DAY = '2026-11-24';

/** Stores paragraphs, one source an article, with the vectors of any number of models, and counts their terms. */
export async function storeParagraphs(
  database: Database,
  paragraphs: readonly { article: string; text: string }[],
  models: readonly ModelVectors[],
): Promise<StoredParagraphs> {
  const company = await createTestCompany(database);
  const scope = ownerScope(company);
  const chunkIds: string[] = [];
  const articles = Map.groupBy(paragraphs.keys(), (index) => paragraphs[index]?.article ?? '');
  for (const [article, indexes] of articles) {
    const title = titleOf(article);
    const chunks = indexes.map((index) => ({ text: paragraphs[index]?.text ?? '' }));
    const sourceId = await storeSource(database, scope, {
      layer: null,
      title,
      chunks,
      withFields: true,
      day: DAY,
    });
    const rows = await database.query<{ id: string }>(
      'select id from memory.chunk where team_id = $1 and source_id = $2 order by ordinal',
      [scope.teamId, sourceId],
    );
    for (const [ordinal, index] of indexes.entries()) chunkIds[index] = rows[ordinal]?.id ?? '';
  }
  for (const { model, vectors } of models) await insertVectors(database, scope, chunkIds, { model, vectors });
  await countTermsNow(database, company);
  // As autovacuum does soon after so many inserts, where there is one: without it a search takes several times as long.
  await database.query(`analyze ${SEARCHED.map((table) => `memory.${table}`).join(', ')}`);
  return { database, scope, chunkIds };
}

/** Vectors that one statement inserts. */
const VECTORS_AT_ONCE = 60;

async function insertVectors(
  database: Database,
  scope: TeamScope,
  chunkIds: readonly string[],
  { model, vectors }: ModelVectors,
): Promise<void> {
  const rows = chunkIds.map((chunkId, index) => ({
    chunkId,
    layerId: scope.teamId,
    embedding: vectors[index] as Float32Array,
  }));
  for (let from = 0; from < rows.length; from += VECTORS_AT_ONCE) {
    const batch = rows.slice(from, from + VECTORS_AT_ONCE);
    await transaction(database, scope, (tx) => insertEmbeddings(tx, model, batch));
  }
}

/** What one search found, as indexes of paragraphs, best first. */
export interface FoundParagraphs {
  keyword: number[];
  semantic: number[];
  fused: number[];
}

/** All that two legs of 50 can bring. */
const EVERY_HIT = 100;

/** One search by the service's own statement, with all that it found in each leg. */
export async function searchParagraphs(
  stored: StoredParagraphs,
  query: string,
  vector: { model: string; embedding: Float32Array; weight?: number | undefined } | null,
): Promise<FoundParagraphs> {
  const { database, scope, chunkIds } = stored;
  const hits = await transaction(database, scope, (tx) =>
    searchChunks(tx, {
      terms: queryTerms(scope.teamId, query),
      embedding: vector?.embedding ?? null,
      model: vector?.model ?? '',
      vectorWeight: vector?.weight,
      topK: EVERY_HIT,
    }),
  );
  const found: FoundParagraphs = { keyword: [], semantic: [], fused: [] };
  for (const hit of hits) {
    const paragraph = chunkIds.indexOf(hit.chunk_id);
    found.fused.push(paragraph);
    if (hit.keyword_rank !== null) found.keyword[hit.keyword_rank - 1] = paragraph;
    if (hit.semantic_rank !== null) found.semantic[hit.semantic_rank - 1] = paragraph;
  }
  return found;
}

/** The places, from 1, of the answer to each question, in each leg and fused; null if it was not found. */
export interface Places {
  keyword: (number | null)[];
  semantic: (number | null)[];
  fused: (number | null)[];
}

/** Asks questions, each with its vector. */
export async function askAll(
  stored: StoredParagraphs,
  questions: readonly { question: string; paragraph: number }[],
  vectors: ModelVectors,
): Promise<Places> {
  const places: Places = { keyword: [], semantic: [], fused: [] };
  for (const [index, { question, paragraph }] of questions.entries()) {
    const embedding = vectors.vectors[index] as Float32Array;
    const { model, weight } = vectors;
    const found = await searchParagraphs(stored, question, { model, embedding, weight });
    for (const leg of ['keyword', 'semantic', 'fused'] as const) {
      places[leg].push(placeOf(found[leg], paragraph));
    }
  }
  return places;
}

/** The place, from 1, of a paragraph among those found. */
export function placeOf(found: readonly number[], paragraph: number): number | null {
  const index = found.indexOf(paragraph);
  return index === -1 ? null : index + 1;
}

/** The share of articles whose title alone finds all paragraphs, or ten of them, among the first ten hits. */
export async function findArticles(stored: StoredParagraphs, { paragraphs }: RetrievalSet): Promise<number> {
  const articles = Map.groupBy(paragraphs.keys(), (index) => paragraphs[index]?.article ?? '');
  let found = 0;
  for (const [article, indexes] of articles) {
    const { keyword } = await searchParagraphs(stored, titleOf(article), null);
    const first = new Set(keyword.slice(0, 10));
    if (indexes.filter((index) => first.has(index)).length === Math.min(10, indexes.length)) found += 1;
  }
  return found / articles.size;
}
