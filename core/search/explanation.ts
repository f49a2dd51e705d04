import { wireTime } from '../../db/queries/fragments/layers.ts';
import type { ExplainedHit, MatchedWeight, SearchTrace } from '../../db/queries/search/search-explained.ts';
import type { SearchExplanation } from '../../shared/schemas/explanation.ts';
import type { Hit } from '../../shared/schemas/memory.ts';
import type { QueryTerms, TermText } from '../../shared/text/terms.ts';

/** Milliseconds that the database does not measure. */
export interface OuterTimes {
  embedding: number;
  statement: number;
}

interface WeighedTerm extends TermText {
  dim: number;
  documents: number;
  weight: number;
}

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

/** Adds to each hit the explanation of its rank. */
export function explainHits(
  hits: readonly ExplainedHit[],
  matched: readonly MatchedWeight[],
  terms: QueryTerms,
  trace: SearchTrace,
): Hit[] {
  const asked = new Map(weighedTerms(terms, trace).map((term) => [term.dim, term]));
  const matches = Map.groupBy(matched, (match) => match.chunk_id);
  return hits.map(({ detail, ...hit }) => {
    const found = (matches.get(hit.chunk_id) ?? []).flatMap(({ dim, weight }) => {
      const term = asked.get(dim);
      return term === undefined ? [] : [{ term: term.term, kind: term.kind, weight: weight * term.weight }];
    });
    return {
      ...hit,
      explain: {
        // The length of a float16 vector is not exactly 1.
        similarity: detail.similarity && Math.max(-1, Math.min(1, detail.similarity)),
        semantic_z: detail.semanticZ,
        keyword_score: found.reduce((sum, { weight }) => sum + weight, 0),
        keyword_z: detail.keywordZ,
        identifier: detail.identifier,
        terms: found.sort((a, b) => b.weight - a.weight),
      },
    };
  });
}

/** Explains the search as a whole. */
export function explainSearch(terms: QueryTerms, trace: SearchTrace, times: OuterTimes): SearchExplanation {
  const read = new Set(trace.keyword.keysRead);
  const rare = new Set(trace.keyword.rareKeys);
  return {
    terms: weighedTerms(terms, trace).map(({ dim: _dim, ...term }) => term),
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
