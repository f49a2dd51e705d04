import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { wireTime } from '../../db/queries/common.ts';
import {
  type ChunkQuery,
  type CountedTerm,
  countCandidates,
  type DocumentCount,
  type ExplainedHit,
  findPlace,
  type MatchedWeight,
  matchedWeights,
  type SearchTrace,
  searchChunks,
  searchExplained,
} from '../../db/queries/search/search.ts';
import { findSource } from '../../db/queries/sources/lists.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseId } from '../../shared/ids.ts';
import type { Hit, SearchExplanation, SourceExplanation } from '../../shared/schemas/search.ts';
import type { Source } from '../../shared/schemas/sources.ts';
import { otherLayers, readsLayerOf, type TeamScope } from '../../shared/scope.ts';
import type { QueryTerms, TermText } from '../../shared/text/terms/terms.ts';

/** Milliseconds that the database does not measure. */
export interface OuterTimes {
  embedding: number;
  statement: number;
}

interface WeighedTerm extends TermText {
  dim: number;
  /** As estimated for the weight. */
  documents: number;
  weight: number;
}

/** What the search itself explains, without what is outside of its scope. */
export type InnerExplanation = Omit<SearchExplanation, 'otherLayers' | 'source'>;
type MatchedTerm = SourceExplanation['terms'][number];

/** A word that is estimated to be in more chunks is not counted by its key in a large scope. */
const MAX_POSTINGS = 1000;
/** How many words are counted by their keys at most. */
const MAX_COUNTED_KEYS = 200;

/** Returns the terms of the query with their weights, the heaviest first. */
function weighedTerms(terms: QueryTerms, trace: SearchTrace): WeighedTerm[] {
  const texts = new Map(terms.dims.map((dim, index) => [dim, terms.texts[index]]));
  return trace.weights
    .map(({ dim, documents, weight }) => {
      const text = texts.get(dim);
      if (text === undefined) throw new Error(`the database returned an unknown term: ${dim}`);
      return { ...text, dim, documents, weight: Math.max(weight, 0) };
    })
    .sort((a, b) => b.weight - a.weight);
}

/** The terms of the query whose chunks are to be counted, the heaviest first. */
export function termsToCount(terms: QueryTerms, trace: SearchTrace): CountedTerm[] {
  const keys = new Map(terms.keyTexts.map((text, index) => [text, terms.keys[index]]));
  let keysLeft = MAX_COUNTED_KEYS;
  return weighedTerms(terms, trace).map(({ dim, term, kind, documents }) => {
    const key = kind === 'exact' && documents <= MAX_POSTINGS && keysLeft > 0 ? keys.get(term) : undefined;
    if (key !== undefined) keysLeft -= 1;
    return { dim, key: key ?? null };
  });
}

/** Returns the terms of the query that each chunk contains, the heaviest first, by the id of the chunk. */
function matchedTerms(
  matched: readonly MatchedWeight[],
  terms: QueryTerms,
  trace: SearchTrace,
): Map<string, MatchedTerm[]> {
  const asked = new Map(weighedTerms(terms, trace).map((term) => [term.dim, term]));
  const found = new Map<string, MatchedTerm[]>();
  for (const [chunkId, matches] of Map.groupBy(matched, (match) => match.chunk_id)) {
    const ofChunk = matches.flatMap(({ dim, weight }) => {
      const term = asked.get(dim);
      return term === undefined ? [] : [{ term: term.term, kind: term.kind, weight: weight * term.weight }];
    });
    found.set(
      chunkId,
      ofChunk.sort((a, b) => b.weight - a.weight),
    );
  }
  return found;
}

/** Adds to each hit the explanation of its rank. */
export function explainHits(
  hits: readonly ExplainedHit[],
  matched: readonly MatchedWeight[],
  terms: QueryTerms,
  trace: SearchTrace,
): Hit[] {
  const matches = matchedTerms(matched, terms, trace);
  return hits.map(({ detail, ...hit }) => {
    const found = matches.get(hit.chunk_id) ?? [];
    return {
      ...hit,
      explain: {
        // The length of a float16 vector is not exactly 1.
        similarity: detail.similarity && Math.max(-1, Math.min(1, detail.similarity)),
        semantic_z: detail.semanticZ,
        keyword_score: found.reduce((sum, { weight }) => sum + weight, 0),
        ...(detail.guessed === null ? {} : { guessed_score: detail.guessed }),
        ...(detail.sourceEvidence === null ? {} : { source_evidence: detail.sourceEvidence }),
        keyword_z: detail.keywordZ,
        identifier: detail.identifier,
        terms: found,
      },
    };
  });
}

/**
 * Explains the search as a whole.
 * @param counts of the terms, by dimension. For a term without a count, the estimate for its weight is used
 */
export function explainSearch(
  terms: QueryTerms,
  trace: SearchTrace,
  counts: ReadonlyMap<number, DocumentCount>,
  times: OuterTimes,
): InnerExplanation {
  const read = new Set(trace.keyword.keysRead);
  const rare = new Set(trace.keyword.rareKeys);
  return {
    terms: weighedTerms(terms, trace).map(({ dim, term, kind, documents, weight }) => {
      // A term that occurs in one counted chunk or none is weighed as if it were in half a chunk.
      const estimate = { documents: documents < 1 ? 0 : Math.round(documents), scaled: true };
      return { term, kind, ...(counts.get(dim) ?? estimate), weight };
    }),
    keyword: {
      keys: terms.keys.map((key, index) => ({
        key: terms.keyTexts[index] ?? '',
        read: read.has(key),
        identifier: rare.has(key),
      })),
      candidates: trace.keyword.scored,
      hits: trace.keyword.hits,
    },
    semantic: trace.semantic,
    filtered: trace.filtered,
    counted: trace.counted && { ...trace.counted, at: wireTime(new Date(trace.counted.at)) },
    milliseconds: { ...trace.milliseconds, ...times },
  };
}

/** A search that has run and is explained. */
interface ExplainedSearch {
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
async function explainSource(
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
  { terms, embedding, model, vectorWeight }: ChunkQuery,
  sourceId: string,
): Promise<string | null> {
  const only = { terms, embedding, model, vectorWeight, sourceIds: [sourceId], topK: 1 };
  const [hit] = await searchChunks(tx, only);
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

/** Candidates in other layers are not counted further. */
const MAX_OTHER_CANDIDATES = 5000;

/**
 * Completes the explanation of a search with what its scope leaves out: the candidates in other layers, and why a source is
 * not among the hits. These are reads of their own, because the search reads nothing outside of its scope.
 * @param source that the caller can read, or null
 */
export async function explainOutside(
  database: Database,
  search: ExplainedSearch,
  explain: InnerExplanation,
  source: Source | null,
): Promise<SearchExplanation> {
  return {
    ...explain,
    otherLayers: await countOtherCandidates(database, search),
    ...(source === null ? {} : { source: await explainSource(database, search, source) }),
  };
}

async function countOtherCandidates(
  database: Database,
  { reach, scope, trace }: ExplainedSearch,
): Promise<SearchExplanation['otherLayers']> {
  const others = otherLayers(reach, scope);
  const keys = trace.keyword.keysRead;
  if (others === null || keys.length === 0) return { candidates: 0 };
  const counted = await transaction(database, others, (tx) =>
    countCandidates(tx, keys, MAX_OTHER_CANDIDATES + 1),
  );
  if (counted <= MAX_OTHER_CANDIDATES) return { candidates: counted };
  return { candidates: MAX_OTHER_CANDIDATES, limited: true };
}
