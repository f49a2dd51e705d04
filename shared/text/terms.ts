/**
 * The terms of the keyword search, of stored chunks and of queries. Both are made by the same rules. Both are only
 * numbers, so that the tables with terms do not reveal any text.
 *
 * Kinds of terms: `exact` (words, bigrams, compounds), `gram` (four characters of a word: inflections and typing errors
 * still share most of them) and `prefix` (the first five characters of a word, only to find candidates).
 */

import { finishHash, hashState } from './hash.ts';
import { bigramLength, countWords, foldMarks, isIdentifier } from './words.ts';

/**
 * The version of the rules by which the terms of chunks are made. Raise it with every change of them: a job then makes
 * the terms of all stored chunks again.
 */
export const TERMS_VERSION = 3;

/** Dimensions of the stored vectors, pgvector's `sparsevec(536870912)`. */
export const DIMENSION_BITS = 29;
export const TERM_DIMENSIONS = 2 ** DIMENSION_BITS;

/** A term of a query in readable form. */
export interface TermText {
  /** Normalized; for a gram four characters, with `_` before the first character of a word. */
  term: string;
  kind: 'exact' | 'gram';
}

/** The terms of a query, in parallel arrays that can be bound as SQL arrays. */
export interface QueryTerms {
  /** Dimensions, unique. */
  dims: number[];
  /** For each of `dims`, the factor by which its idf is multiplied. */
  factors: number[];
  /**
   * For each of `dims`, its length in words. Below 1 for bigrams: they overlap, and those across two words occur
   * nowhere.
   */
  lengths: number[];
  /** For each of `dims`, its term; the first if several terms have the same dimension. */
  texts: TermText[];
  /** Keys of candidates, unique. */
  keys: number[];
  /** For each of `keys`, its text: a whole term, a whole short word without marks, or the beginning of a word with `*`. */
  keyTexts: string[];
  /** Those of `keys` that are codes. Chunks with a rare code rank first. */
  identifierKeys: number[];
}

const EXACT = hashState('e');
const GRAM = hashState('g');
const FIRST_GRAM = hashState('_', GRAM);

const GRAM_LENGTH = 4;
const PREFIX_LENGTH = 5;

/**
 * Factors of query terms. A gram weighs half as much as a word that matches exactly. The factor is applied to the
 * query, so it can be changed without changing stored weights. A code outweighs the other words of the query.
 */
const GRAM_FACTOR = 0.5;
const IDENTIFIER_FACTOR = 5;

/**
 * The terms of a query. Repeating a word in the query has no effect. The arrays are empty for a query without words.
 */
export function queryTerms(teamId: string, query: string): QueryTerms {
  const { words, bigrams, compounds } = countWords(query);
  const team = teamState(teamId);
  const asked = new Map<number, TermText & { factor: number; length: number }>();
  const keys = new Map<number, string>();
  const identifierKeys = new Set<number>();
  const ask = (dim: number, term: string, kind: TermText['kind'], factor: number) => {
    const known = asked.get(dim);
    if (known === undefined)
      asked.set(dim, { term, kind, factor, length: bigrams.has(term) ? bigramLength(term) : 1 });
    else known.factor = Math.max(known.factor, factor);
  };
  const askExact = (term: string, key: number, keyText: string) => {
    const identifier = isIdentifier(term);
    keys.set(key, keyText);
    ask(exactDim(term), term, 'exact', identifier ? IDENTIFIER_FACTOR : 1);
    if (identifier) identifierKeys.add(key);
  };
  const folds = new Map(Array.from(words.keys(), (word) => [word, foldMarks(word)]));
  for (const [word, folded] of folds) {
    if (isShortWord(folded.length)) askExact(word, prefixKey(team, folded, 0, folded.length), folded);
    else askExact(word, exactKey(team, word), word);
  }
  for (const term of [...bigrams.keys(), ...compounds.keys()]) askExact(term, exactKey(team, term), term);
  for (const folded of folds.values()) {
    const prefix = prefixKey(team, folded, 0, folded.length);
    if (!keys.has(prefix)) keys.set(prefix, `${folded.slice(0, PREFIX_LENGTH)}*`);
    // Outside of the loop, because each `slice` would copy a text that was just joined.
    const marked = `_${folded}`;
    for (let i = 0; i < gramCount(folded.length); i++) {
      const gram = marked.slice(i, i + GRAM_LENGTH);
      ask(gramDim(folded, 0, folded.length, i), gram, 'gram', GRAM_FACTOR);
    }
  }
  return {
    dims: [...asked.keys()],
    factors: Array.from(asked.values(), ({ factor }) => factor),
    lengths: Array.from(asked.values(), ({ length }) => length),
    texts: Array.from(asked.values(), ({ term, kind }) => ({ term, kind })),
    keys: [...keys.keys()],
    keyTexts: [...keys.values()],
    identifierKeys: [...identifierKeys],
  };
}

export function teamState(teamId: string): number {
  return hashState(':', hashState(teamId));
}

function toDim(state: number): number {
  return (finishHash(state) & (TERM_DIMENSIONS - 1)) + 1;
}

/** The dimension of a term, or of a part of a text that is one. */
export function exactDim(text: string, from = 0, to = text.length): number {
  return toDim(hashState(text, EXACT, from, to));
}

export function exactKey(team: number, text: string, from = 0, to = text.length): number {
  return finishHash(hashState(text, team, from, to));
}

/** How many grams a folded word of this length has. A short word is one gram. */
export function gramCount(length: number): number {
  return Math.max(1, length - GRAM_LENGTH + 2);
}

/** The dimension of a gram of a folded word, which is a part of a text. The first gram begins with `_`. */
export function gramDim(text: string, from: number, to: number, index: number): number {
  if (index === 0) return toDim(hashState(text, FIRST_GRAM, from, Math.min(from + GRAM_LENGTH - 1, to)));
  const start = from + index - 1;
  return toDim(hashState(text, GRAM, start, start + GRAM_LENGTH));
}

/**
 * Whether a folded word is shorter than the beginnings of words that are keys. Then it has only one key, that of its
 * beginning, which no longer word has. Its exact key would find the same chunks.
 */
export function isShortWord(foldedLength: number): boolean {
  return foldedLength < PREFIX_LENGTH;
}

/**
 * The key of the beginning of a folded word, which is a part of a text. It ends with `*`, which no exact term contains: a
 * code must not find longer codes.
 */
export function prefixKey(team: number, text: string, from: number, to: number): number {
  return finishHash(hashState('*', hashState(text, team, from, Math.min(from + PREFIX_LENGTH, to))));
}
