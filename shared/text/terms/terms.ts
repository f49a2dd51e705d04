import { finishHash, hashState } from '../hash.ts';
import { Counts } from './counts.ts';
import { foldWord, isFolded, normalizeCased } from './fold.ts';
import { type Guesses, guessWords } from './guesses.ts';
import {
  type AddKey,
  addPartKeys,
  addWordKeys,
  BEGINNING_LENGTH,
  beginningKey,
  exactKey,
  isSemitic,
  pairKey,
  ROOT_LENGTH,
  rootKey,
  rootStart,
  signKey,
  teamState,
  wordKey,
} from './keys.ts';
import { type ChunkSketch, ShingleCounter } from './sketch.ts';
import { bigramLength, countWords, isIdentifier, visitWords, type WordVisitor } from './words.ts';

/**
 * The terms of the keyword search, of stored chunks and of queries. Both are made by the same rules. Both are only
 * numbers, so that the tables with terms do not reveal any text.
 *
 * Kinds of terms: `exact` (words, bigrams, compounds) and `gram` (four characters of a word: inflections and typing errors
 * still share most of them). Words are folded. `keys.ts` says by which keys candidates are found.
 */

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

/** The terms of stored chunks: see `terms.ts`. Making them was a third of the work of an ingest outside of the database. */

/** The most non-zero elements of pgvector's `sparsevec`. */
export const MAX_CHUNK_DIMS = 16_000;

/** The terms of a chunk, as stored in `chunk_keyword`. */
export interface ChunkTerms {
  /** Keys of the index that finds candidates: signed, sorted, unique. They are hashed with the id of the Team. */
  keys: Int32Array<ArrayBuffer>;
  /** Dimensions of the weights, from 1 to `TERM_DIMENSIONS`, ascending and unique, at most 16,000. */
  dims: Int32Array<ArrayBuffer>;
  /** BM25 weight of each dimension, without the idf. Above 0. */
  weights: Float32Array<ArrayBuffer>;
}

/**
 * BM25 (Robertson & Zaragoza 2009) with k1 = 0.9 and b = 0.5. The average length is a constant and not computed for
 * each Team, so that stored weights remain correct when other chunks are added or deleted.
 */
const K1 = 0.9;
const B = 0.5;
const AVERAGE_LENGTH = 100;

/**
 * What one occurrence of a term counts: in the text, and in the fields, which are the title of the source, the headings
 * above the chunk and the date of the source. A field describes all chunks below it, so a word there says less about each.
 * A half is measured: see docs/benchmarks.md. Counted in halves, so that counts are whole numbers.
 */
const TEXT_COUNT = 2;
const FIELD_COUNT = 1;

/**
 * The terms of a chunk. Keys are hashed with the Team, so that a search never reads the postings of another Team.
 * Weights are `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / 100))`. `tf` is the number of occurrences in the text plus
 * half of that in the fields; `length` is that of the text alone (BM25F, Robertson, Zaragoza & Taylor 2004). Terms with
 * the same dimension are counted together. Only the 16,000 dimensions with the highest weights are kept. The arrays are
 * empty without words.
 * @param fields what `fieldsText` returns for the chunk
 */
export function chunkTerms(teamId: string, text: string, fields = ''): ChunkTerms {
  return termsAndSketch(teamId, text, fields).terms;
}

/**
 * The terms of a chunk, as `chunkTerms`, and its sketch, which is made of the text without the fields. The hashes of the
 * words are made once for both. They are hashed with the Team, so that texts of two Teams cannot be compared. `read` is how
 * many characters an expression read of the text and the fields.
 */
export function termsAndSketch(
  teamId: string,
  text: string,
  fields = '',
): { terms: ChunkTerms; sketch: ChunkSketch; read: number } {
  try {
    counter.team = teamState(teamId);
    counter.times = TEXT_COUNT;
    const normal = normalizeCased(text);
    const length = visitWords(normal, counter);
    const sketch = counter.shingles.drain(length);
    counter.times = FIELD_COUNT;
    const normalFields = normalizeCased(fields);
    visitWords(normalFields, counter);
    // What the fields added is not a part of the next chunk.
    counter.shingles.reset();
    const read =
      Math.max(text.length, normal.normal.length) + Math.max(fields.length, normalFields.normal.length);
    return { terms: counter.drain(length), sketch, read };
  } catch (error) {
    // What was counted must not become a part of the next chunk.
    counter = new TermCounter();
    throw error;
  }
}

/** Counts the terms of one chunk at a time. It is never used for two at once, because nothing waits while it counts. */
class TermCounter implements WordVisitor {
  team = 0;
  /** What an occurrence counts. */
  times = 0;
  readonly #dims = new Counts(DIMENSION_BITS);
  readonly #keys = new Counts(32);
  readonly #addKey: AddKey = (key) => this.#keys.add(key, 1);
  readonly shingles = new ShingleCounter();

  word(normal: string, from: number, to: number): void {
    // The sketches that are stored are of words as they are written.
    this.shingles.add(exactKey(this.team, normal, from, to));
    // To hash a word takes less time than to look it up.
    if (isFolded(normal, from, to)) this.#folded(normal, from, to);
    else {
      const folded = foldWord(normal.slice(from, to));
      this.#folded(folded, 0, folded.length);
    }
  }

  bigram(normal: string, from: number, to: number, second: number): void {
    this.#dims.add(exactDim(normal, from, to), this.times);
    // The sketch has the hash of the whole bigram, which the key of some bigrams is not.
    this.shingles.add(exactKey(this.team, normal, from, to));
    this.#keys.add(pairKey(this.team, normal, from, to, second), 1);
  }

  compound(normal: string, from: number, to: number): void {
    this.#dims.add(exactDim(normal, from, to), this.times);
    this.#keys.add(exactKey(this.team, normal, from, to), 1);
  }

  omitted(normal: string, from: number, to: number): void {
    this.shingles.add(exactKey(this.team, normal, from, to));
  }

  part(normal: string, from: number, to: number): void {
    this.#additional(normal.slice(from, to));
  }

  joined(term: string): void {
    this.#additional(term);
  }

  sign(normal: string, from: number, to: number): void {
    this.#keys.add(signKey(this.team, normal, from, to), 1);
  }

  symbol(normal: string, from: number, to: number): void {
    this.compound(normal, from, to);
  }

  /** Adds a word that is not in the text as such. It has no grams: the words of the text have most of them. */
  #additional(word: string): void {
    const folded = foldWord(word);
    this.#dims.add(exactDim(folded), this.times);
    addPartKeys(this.team, folded, this.#addKey);
  }

  #folded(text: string, from: number, to: number): void {
    this.#dims.add(exactDim(text, from, to), this.times);
    addWordKeys(this.team, text, from, to, this.#addKey);
    const grams = gramCount(to - from);
    for (let i = 0; i < grams; i++) this.#dims.add(gramDim(text, from, to, i), this.times);
    if (isSemitic(text, from)) this.#root(text.slice(from, to));
  }

  /** A gram of the root, if something is joined before it. */
  #root(word: string): void {
    const start = rootStart(word);
    if (start > 0) this.#dims.add(gramDim(word, start, word.length, 0), this.times);
  }

  /** The terms that were counted, for a text of the given length. The next chunk is counted from 0. */
  drain(length: number): ChunkTerms {
    const { numbers: dims, counts } = this.#dims.drain();
    return { keys: this.#keys.drain().numbers, ...heaviest(dims, weigh(counts, length)) };
  }
}

let counter = new TermCounter();

/** The weights of counted terms, of a text of the given length. */
function weigh(counts: Int32Array, length: number): ChunkTerms['weights'] {
  const weights = new Float32Array(counts.length);
  const saturation = K1 * (1 - B + (B * length) / AVERAGE_LENGTH);
  for (let i = 0; i < counts.length; i++) {
    const frequency = counts[i]! / TEXT_COUNT;
    weights[i] = (frequency * (K1 + 1)) / (frequency + saturation);
  }
  return weights;
}

type Weights = Pick<ChunkTerms, 'dims' | 'weights'>;

/** Keeps as many dimensions as `sparsevec` allows. Only compatibility characters that normalize to many exceed it. */
function heaviest(dims: Weights['dims'], weights: Weights['weights']): Weights {
  if (dims.length <= MAX_CHUNK_DIMS) return { dims, weights };
  const order = Uint32Array.from(dims, (_, i) => i);
  order.sort((a, b) => weights[b]! - weights[a]! || a - b);
  const heaviestIndexes = order.subarray(0, MAX_CHUNK_DIMS).sort();
  return {
    dims: Int32Array.from(heaviestIndexes, (i) => dims[i]!),
    weights: Float32Array.from(heaviestIndexes, (i) => weights[i]!),
  };
}
