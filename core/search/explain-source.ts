import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { findSource } from '../../db/queries/memory/source-library.ts';
import { findPlace } from '../../db/queries/search/explain-counts.ts';
import { type ChunkQuery, searchChunks } from '../../db/queries/search/search.ts';
import {
  matchedWeights,
  type SearchTrace,
  searchExplained,
} from '../../db/queries/search/search-explained.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SourceExplanation } from '../../shared/schemas/explanation.ts';
import type { Hit, Source } from '../../shared/schemas/memory.ts';
import { readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import { parseId } from '../access/parse-id.ts';
import { matchedTerms } from './explanation.ts';

/** A search that has run and is explained. */
export interface ExplainedSearch {
  /** What the caller can read. */
  reach: TeamScope;
  /** What was searched. */
  scope: TeamScope;
  query: ChunkQuery;
  hits: readonly Hit[];
  trace: SearchTrace;
}

/**
 * Finds the source that a search is to explain; null if it names none.
 * @param reach the scope of the caller, not narrowed by the request
 * @throws ServiceError `not_found`
 */
export async function findNamedSource(
  database: Database,
  reach: TeamScope,
  sourceId: string | undefined,
): Promise<Source | null> {
  if (sourceId === undefined) return null;
  const id = parseId(sourceId);
  const found = await transaction(database, reach, (tx) => findSource(tx, id));
  if (found === null) throw new ServiceError('not_found');
  return found.source;
}

/** Explains why a source is not among the hits of a search, or that it is. */
export async function explainSource(
  database: Database,
  search: ExplainedSearch,
  source: Source,
): Promise<SourceExplanation> {
  const { reach, scope, query } = search;
  // If it is among the hits, it was in scope then. It can have been moved after it was named.
  const inScope =
    search.hits.some((hit) => hit.source_id === source.id) || readsLayerOf(scope, source.clientId);
  const isSearched = inScope && source.state === 'active';
  const ranked = isSearched
    ? await transaction(database, scope, (tx) => findRank(tx, search, source.id))
    : null;
  return transaction(database, reach, async (tx) => {
    const alone = await findBestChunk(tx, query, source.id);
    const chunkId = ranked?.chunkId ?? alone;
    const answer = (reason: SourceExplanation['reason'], terms: SourceExplanation['terms']) => ({
      sourceId: source.id,
      found: reason === 'found',
      reason,
      rank: ranked?.place ?? null,
      terms,
    });
    if (source.state === 'archived') return answer('archived', []);
    const terms = chunkId === null ? [] : await termsOf(tx, search, chunkId);
    if (!inScope) return answer('not_in_scope', terms);
    if (ranked !== null) return answer(ranked.found ? 'found' : 'below_top_k', terms);
    if (await isFiltered(tx, query, source.id, alone !== null)) return answer('filtered', terms);
    if (alone !== null) return answer('below_top_k', terms);
    // Without a vector of its own, the query is compared by words only, and vectors of the chunks change nothing.
    return answer(query.embedding !== null && source.chunks > 0 ? 'pending' : 'no_shared_terms', terms);
  });
}

interface Rank {
  chunkId: string;
  place: number;
  found: boolean;
}

/** Finds the best chunk of the source among the hits, or else among all candidates. */
async function findRank(
  tx: TeamTransaction,
  { query, hits }: ExplainedSearch,
  sourceId: string,
): Promise<Rank | null> {
  const index = hits.findIndex((hit) => hit.source_id === sourceId);
  const hit = hits[index];
  if (hit !== undefined) return { chunkId: hit.chunk_id, place: index + 1, found: true };
  const place = await findPlace(tx, query, sourceId);
  return place === null ? null : { ...place, found: false };
}

/** Finds the chunk of the source that matches best if only the source is searched, without other filters. */
async function findBestChunk(
  tx: TeamTransaction,
  { terms, embedding, model }: ChunkQuery,
  sourceId: string,
): Promise<string | null> {
  const [hit] = await searchChunks(tx, { terms, embedding, model, sourceIds: [sourceId], topK: 1 });
  return hit?.chunk_id ?? null;
}

/** Whether the filters of the search exclude every chunk of the source, or every one that matches. */
async function isFiltered(
  tx: TeamTransaction,
  query: ChunkQuery,
  sourceId: string,
  matches: boolean,
): Promise<boolean> {
  if (query.sourceIds?.includes(sourceId) === false) return true;
  const { hits, trace } = await searchExplained(tx, { ...query, sourceIds: [sourceId], topK: 1 });
  return trace.filtered === 0 || (matches && hits.length === 0);
}

async function termsOf(
  tx: TeamTransaction,
  { query: { terms }, trace }: ExplainedSearch,
  chunkId: string,
): Promise<SourceExplanation['terms']> {
  const matched = await matchedWeights(tx, [chunkId], terms.dims);
  return matchedTerms(matched, terms, trace).get(chunkId) ?? [];
}
