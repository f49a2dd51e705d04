import type { TeamTransaction } from '../../driver/database.ts';
import { inScope } from '../fragments/layers.ts';
import { CANDIDATES, type ChunkQuery, searchValues } from './search.ts';

/** Up to this many chunks of a scope, all are counted. Of more, a sample of about this many is counted and scaled. */
const MAX_COUNTED_CHUNKS = 4000;
/** More than a search has candidates. */
const ALL_CANDIDATES = 1000;

/** A term to count, by its dimension. */
export interface CountedTerm {
  dim: number;
  /** By which a rare term is counted in a large scope; null if it has none, or should not be counted by it. */
  key: number | null;
}

/** How many chunks contain a term. */
export interface DocumentCount {
  documents: number;
  /** Whether the number was scaled from a sample. */
  scaled: boolean;
}

/**
 * Counts the chunks within the scope that contain each term.
 * @param terms the most important first
 * @param mostChunks of a larger scope, a sample of about this many chunks is counted
 * @returns the number by dimension. Of very many terms, the last ones are left out
 */
export async function countDocuments(
  tx: TeamTransaction,
  terms: readonly CountedTerm[],
  mostChunks = MAX_COUNTED_CHUNKS,
): Promise<Map<number, DocumentCount>> {
  if (terms.length === 0) return new Map();
  const rows = await tx.query<DocumentCount & { dim: number }>(
    'select dim, documents, scaled from memory.count_documents($1::int[], $2::int[], $3)',
    [terms.map(({ dim }) => dim), terms.map(({ key }) => key), mostChunks],
  );
  return new Map(rows.map(({ dim, ...count }) => [dim, count]));
}

/** Counts the chunks within the scope that contain one of the keys, up to `most`. */
export async function countCandidates(
  tx: TeamTransaction,
  keys: readonly number[],
  most: number,
): Promise<number> {
  const [row] = await tx.query<{ candidates: number }>(
    'select memory.count_candidates($1::int[], $2) as candidates',
    [keys, most],
  );
  return row?.candidates ?? 0;
}

/** The place of a chunk among all candidates of a search, from 1. */
export interface CandidatePlace {
  chunkId: string;
  place: number;
}

/** Finds the best candidate of a search that is a chunk of the source; null if none is. */
export async function findPlace(
  tx: TeamTransaction,
  query: ChunkQuery,
  sourceId: string,
): Promise<CandidatePlace | null> {
  const values = [...searchValues(tx, { ...query, topK: ALL_CANDIDATES }, false), sourceId];
  const [row] = await tx.query<CandidatePlace>(
    `select f.chunk_id as "chunkId", f.place
       from ${CANDIDATES}
       join memory.chunk c on c.team_id = $1 and c.id = f.chunk_id
      where ${inScope('c')} and c.source_id = $${values.length}
      order by f.place limit 1`,
    values,
  );
  return row ?? null;
}
