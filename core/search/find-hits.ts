import type { TeamTransaction } from '../../db/driver/database.ts';
import { countDocuments } from '../../db/queries/search/explain-counts.ts';
import { type ChunkQuery, searchChunks } from '../../db/queries/search/search.ts';
import {
  matchedWeights,
  type SearchTrace,
  searchExplained,
} from '../../db/queries/search/search-explained.ts';
import type { Hit } from '../../shared/schemas/memory.ts';
import { explainHits, explainSearch, type InnerExplanation, termsToCount } from './explanation.ts';

/** The hits of a search; with an explanation, also how they were found. */
export interface FoundHits {
  hits: Hit[];
  explained?: { explain: InnerExplanation; trace: SearchTrace };
}

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
  const counts = await countDocuments(tx, termsToCount(terms, trace));
  const explain = explainSearch(terms, trace, counts, { embedding: embeddingMs, statement });
  return { hits: explainHits(hits, matched, terms, trace), explained: { explain, trace } };
}
