import { wireTime } from '../../db/queries/fragments/layers.ts';
import type { CountedTerm, DocumentCount } from '../../db/queries/search/explain-counts.ts';
import type { ExplainedHit, MatchedWeight, SearchTrace } from '../../db/queries/search/search-explained.ts';
import type { SearchExplanation, SourceExplanation } from '../../shared/schemas/explanation.ts';
import type { Hit } from '../../shared/schemas/memory.ts';
import type { QueryTerms, TermText } from '../../shared/text/terms.ts';

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
export function matchedTerms(
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
