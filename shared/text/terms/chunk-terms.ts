/** The terms of stored chunks: see `terms.ts`. Making them was a third of the work of an ingest outside of the database. */

import { DIMENSION_BITS, exactDim, gramCount, gramDim } from '../terms.ts';
import { visitWords, type WordVisitor } from '../words.ts';
import { Counts } from './counts.ts';
import { foldWord, isFolded } from './fold.ts';
import {
  type AddKey,
  addPartKeys,
  addWordKeys,
  exactKey,
  isSemitic,
  pairKey,
  rootStart,
  signKey,
  teamState,
} from './keys.ts';
import { normalizeCased } from './normalize.ts';
import { type ChunkSketch, ShingleCounter } from './sketch.ts';

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
