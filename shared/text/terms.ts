/**
 * The terms of the keyword search, of stored chunks and of queries. Both are made by the same rules. Both are only
 * numbers, so that the tables with terms do not reveal any text.
 *
 * Kinds of terms: `exact` (words, bigrams, compounds) and `gram` (four characters of a word: inflections and typing errors
 * still share most of them). Words are folded. `keys.ts` says by which keys candidates are found.
 */

import { finishHash, hashState } from './hash.ts';
import { foldWord } from './terms/fold.ts';
import { type Guesses, guessWords } from './terms/guesses.ts';
import {
  BEGINNING_LENGTH,
  beginningKey,
  exactKey,
  isSemitic,
  pairKey,
  ROOT_LENGTH,
  rootKey,
  rootStart,
  teamState,
  wordKey,
} from './terms/keys.ts';
import { bigramLength, countWords, isIdentifier } from './words.ts';

/**
 * The version of the rules by which the terms of chunks are made. Raise it with every change of them: a job then makes
 * the terms of all stored chunks again.
 */
export const TERMS_VERSION = 4;

/** Dimensions of the stored vectors, pgvector's `sparsevec(536870912)`. */
export const DIMENSION_BITS = 29;
export const TERM_DIMENSIONS = 2 ** DIMENSION_BITS;

/** A term of a query in readable form. */
export interface TermText {
  /** Normalized; for a gram four characters, with `_` before the first character of a word or of a root. */
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
  /** For each of `keys`, its text: a whole term, a folded word, or the beginning of a word with `*`. */
  keyTexts: string[];
  /** Those of `keys` that are codes. Chunks with a rare code rank first. */
  identifierKeys: number[];
  /** What its words can also stand for, if they are few. */
  guesses: Guesses;
}

const EXACT = hashState('e');
const GRAM = hashState('g');
const FIRST_GRAM = hashState('_', GRAM);

const GRAM_LENGTH = 4;

/**
 * Factors of query terms. A gram weighs half as much as a word that matches exactly. The factor is applied to the
 * query, so it can be changed without changing stored weights. A code outweighs the other words of the query.
 */
const GRAM_FACTOR = 0.5;
const IDENTIFIER_FACTOR = 5;

/** The most words and bigrams of a query that also finds single signs. */
const MOST_WORDS_WITH_SIGNS = 3;

/**
 * The terms of a query. Repeating a word in the query has no effect. The arrays are empty for a query without words.
 */
export function queryTerms(teamId: string, query: string): QueryTerms {
  const { words, bigrams, compounds, parts, joined, signs, symbols } = countWords(query);
  const asked = new AskedTerms(teamState(teamId));
  const folds = foldAll(words.keys());
  const additional = foldAll([...parts.keys(), ...joined.keys()]);
  for (const folded of folds.values()) asked.exact(folded, wordKey(asked.team, folded));
  for (const pair of bigrams.keys()) asked.exact(pair, pairKey(asked.team, pair), bigramLength(pair));
  for (const term of [...compounds.keys(), ...symbols.keys()]) asked.exact(term, exactKey(asked.team, term));
  for (const [term, folded] of additional) asked.additional(folded, joined.has(term));
  for (const folded of folds.values()) asked.parts(folded);
  // In a longer query, a single sign says little, and would find most passages.
  const hasSigns = words.size + bigrams.size <= MOST_WORDS_WITH_SIGNS;
  return asked.terms(
    [...folds.values()],
    hasSigns ? [...signs.keys()].filter((sign) => bigrams.has(sign)) : [],
  );
}

const foldAll = (terms: Iterable<string>) => new Map(Array.from(terms, (term) => [term, foldWord(term)]));

/** Collects the terms of a query. */
class AskedTerms {
  readonly team: number;
  readonly #terms = new Map<number, TermText & { factor: number; length: number }>();
  readonly #keys = new Map<number, string>();
  readonly #identifierKeys = new Set<number>();

  constructor(team: number) {
    this.team = team;
  }

  /** A whole term, with its key. */
  exact(term: string, key: number, length = 1): void {
    const identifier = isIdentifier(term);
    this.#keys.set(key, term);
    this.#ask(exactDim(term), { term, kind: 'exact' }, identifier ? IDENTIFIER_FACTOR : 1, length);
    if (identifier) this.#identifierKeys.add(key);
  }

  /**
   * A folded word that is not in the query as such: a part of a name, or words without what joins them. It does not make
   * the query longer. A passage with such a part of a code is not as good as one with the code.
   */
  additional(word: string, isJoined: boolean): void {
    const key = wordKey(this.team, word);
    if (!this.#keys.has(key)) this.#keys.set(key, word);
    const factor = isJoined && isIdentifier(word) ? IDENTIFIER_FACTOR : 1;
    this.#ask(exactDim(word), { term: word, kind: 'exact' }, factor, 0);
    if (word.length > BEGINNING_LENGTH && !isSemitic(word)) {
      this.#beginning(beginningKey(this.team, word), word.slice(0, BEGINNING_LENGTH));
    }
  }

  /** The beginning of a folded word, or its root, and its grams. */
  parts(folded: string): void {
    // Outside of the loop, because each `slice` would copy a text that was just joined.
    const marked = `_${folded}`;
    for (let i = 0; i < gramCount(folded.length); i++) {
      this.#gram(gramDim(folded, 0, folded.length, i), marked.slice(i, i + GRAM_LENGTH));
    }
    if (!isSemitic(folded)) {
      if (folded.length > BEGINNING_LENGTH)
        this.#beginning(beginningKey(this.team, folded), folded.slice(0, BEGINNING_LENGTH));
      return;
    }
    const root = folded.slice(rootStart(folded));
    if (root.length < ROOT_LENGTH) return;
    this.#beginning(rootKey(this.team, root), root.slice(0, ROOT_LENGTH));
    this.#gram(gramDim(root, 0, root.length, 0), `_${root.slice(0, ROOT_LENGTH)}`);
  }

  #beginning(key: number, text: string): void {
    if (!this.#keys.has(key)) this.#keys.set(key, `${text}*`);
  }

  #gram(dim: number, term: string): void {
    this.#ask(dim, { term, kind: 'gram' }, GRAM_FACTOR, 1);
  }

  #ask(dim: number, text: TermText, factor: number, length: number): void {
    const known = this.#terms.get(dim);
    if (known === undefined) this.#terms.set(dim, { ...text, factor, length });
    else known.factor = Math.max(known.factor, factor);
  }

  /** @param words of the query, folded, and signs that are found wherever they stand */
  terms(words: readonly string[], signs: readonly string[]): QueryTerms {
    const terms = [...this.#terms.values()];
    return {
      dims: [...this.#terms.keys()],
      factors: terms.map(({ factor }) => factor),
      lengths: terms.map(({ length }) => length),
      texts: terms.map(({ term, kind }) => ({ term, kind })),
      keys: [...this.#keys.keys()],
      keyTexts: [...this.#keys.values()],
      identifierKeys: [...this.#identifierKeys],
      guesses: guessWords(
        this.team,
        words.filter((word) => !isIdentifier(word)),
        signs,
      ),
    };
  }
}

function toDim(state: number): number {
  return (finishHash(state) & (TERM_DIMENSIONS - 1)) + 1;
}

/** The dimension of a term, or of a part of a text that is one. */
export function exactDim(text: string, from = 0, to = text.length): number {
  return toDim(hashState(text, EXACT, from, to));
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
