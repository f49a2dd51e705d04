import type { TeamTransaction } from '../../db/driver/database.ts';
import { type ChunkQuery, searchChunks } from '../../db/queries/search/search.ts';
import { matchedWeights, searchExplained } from '../../db/queries/search/search-explained.ts';
import type { SearchResponse } from '../../shared/schemas/memory.ts';
import { explainHits, explainSearch } from './explanation.ts';

type FoundHits = Pick<SearchResponse, 'hits' | 'explain'>;

/** Finds the best chunks for a query, by meaning and by keyword, best first. */
export async function findHits(tx: TeamTransaction, query: ChunkQuery): Promise<FoundHits> {
  return { hits: await searchChunks(tx, query) };
}

/**
 * Finds the same hits as `findHits`, and explains the rank of each hit and the search as a whole.
 * @param embeddingMs how long the vector of the query took, in milliseconds
 */
export async function findExplainedHits(
  tx: TeamTransaction,
  query: ChunkQuery,
  embeddingMs: number,
): Promise<FoundHits> {
  const began = performance.now();
  const { hits, trace } = await searchExplained(tx, query);
  const statement = performance.now() - began;
  const { terms } = query;
  const matched = await matchedWeights(
    tx,
    hits.map((hit) => hit.chunk_id),
    terms.dims,
  );
  return {
    hits: explainHits(hits, matched, terms, trace),
    explain: explainSearch(terms, trace, { embedding: embeddingMs, statement }),
  };
}
