import type { Hit } from '../../../shared/schemas/memory.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import {
  CANDIDATE_TEXT,
  CANDIDATES,
  type ChunkQuery,
  HIT_COLUMNS,
  HIT_ORDER,
  type RankedRow,
  searchValues,
  toHit,
  toHits,
} from './search.ts';

/** The explanation of one hit. */
export interface HitDetail {
  /** Cosine with the query's vector, also for a hit that was found only by keyword; null without a vector. */
  similarity: number | null;
  semanticZ: number;
  keywordZ: number;
  /** What the hits of the source by keyword add to the keyword score; null if its source has none. */
  sourceEvidence: number | null;
  /** The part of the keyword score that guessed words count; null without guesses. */
  guessed: number | null;
  identifier: boolean;
}

/** The explanation of the search as a whole. */
export interface SearchTrace {
  weights: { dim: number; documents: number; weight: number }[];
  /** How many chunks passed the filters; null without a filter. */
  filtered: number | null;
  keyword: { keysRead: number[]; rareKeys: number[]; scored: number; hits: number };
  semantic: { path: 'exact' | 'quantised' | 'graph'; candidates: number; hits: number } | null;
  milliseconds: Record<'weights' | 'filters' | 'keyword' | 'semantic' | 'fusion', number>;
  counted: { chunks: number; sampled: number; at: string } | null;
}

export type ExplainedHit = Hit & { detail: HitDetail };
type ExplainedHitRow = RankedRow & { detail: HitDetail };
type ExplainedRow = ExplainedHitRow | { chunk_id: null; detail: SearchTrace };

/** Searches as `searchChunks` does. Returns each hit with its explanation, and the explanation of the search. */
export async function searchExplained(
  tx: TeamTransaction,
  query: ChunkQuery,
): Promise<{ hits: ExplainedHit[]; trace: SearchTrace }> {
  const rows = await tx.query<ExplainedRow>(
    // The row that explains the search has no chunk.
    `select ${HIT_COLUMNS}, f.detail
       from ${CANDIDATES}
       left join ${CANDIDATE_TEXT} on true
      where t.chunk_id is not null or f.place = 0
      order by ${HIT_ORDER}`,
    searchValues(tx, query, true),
  );
  const found: ExplainedHitRow[] = [];
  let trace: SearchTrace | undefined;
  for (const row of rows) {
    if (row.chunk_id === null) trace = row.detail;
    else found.push(row);
  }
  if (trace === undefined) throw new Error('search_hits returned no explanation');
  return { hits: toHits(found, query, (row) => ({ ...toHit(row), detail: row.detail })), trace };
}

/** The stored weight of a chunk for one dimension. */
export interface MatchedWeight {
  chunk_id: string;
  dim: number;
  weight: number;
}

/** Returns the stored weights of the given chunks, within the scope, for the given dimensions. */
export async function matchedWeights(
  tx: TeamTransaction,
  chunkIds: readonly string[],
  dims: readonly number[],
): Promise<MatchedWeight[]> {
  return tx.query<MatchedWeight>(
    'select chunk_id, dim, weight from memory.matched_weights($1::uuid[], $2::int[])',
    [chunkIds, dims],
  );
}
