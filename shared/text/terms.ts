/**
 * The terms of the keyword search, of stored chunks and of queries. Both are made by the same rules. Both are only
 * numbers, so that the tables with terms do not reveal any text.
 *
 * Kinds of terms: `exact` (words, bigrams, compounds), `gram` (four characters of a word: inflections and typing errors
 * still share most of them) and `prefix` (the first five characters of a word, only to find candidates).
 */

import { finishHash, hashState } from './hash.ts';
import { bigramLength, type CountedWords, countWords, foldMarks, isIdentifier } from './words.ts';

/**
 * The version of the rules by which the terms of chunks are made. Raise it with every change of them: a job then makes
 * the terms of all stored chunks again.
 */
export const TERMS_VERSION = 2;

/** Dimensions of the stored vectors, pgvector's `sparsevec(536870912)`. */
export const TERM_DIMENSIONS = 2 ** 29;

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
  /** For each of `keys`, its text: a whole term, or the beginning of a word followed by `*`. */
  keyTexts: string[];
  /** Those of `keys` that are codes. Chunks with a rare code rank first. */
  identifierKeys: number[];
}

const EXACT = hashState('e');
const GRAM = hashState('g');

const GRAM_LENGTH = 4;
const PREFIX_LENGTH = 5;

/**
 * Factors of query terms. A gram weighs half as much as a word that matches exactly. The factor is applied to the
 * query, so it can be changed without changing stored weights. A code outweighs the other words of the query.
 */
const GRAM_FACTOR = 0.5;
const IDENTIFIER_FACTOR = 5;

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
 * A half is measured: see docs/benchmarks.md. Counted in halves, so that they are packed as whole numbers.
 */
const TEXT_COUNT = 2;
const FIELD_COUNT = 1;

/** A dimension (29 bits) and a frequency (20 bits below it) are packed in one float64, which sorts by dimension. */
const PACK = 2 ** 20;

/**
 * The terms of a chunk. Keys are hashed with the Team, so that a search never reads the postings of another Team.
 * Weights are `tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / 100))`. `tf` is the number of occurrences in the text plus
 * half of that in the fields; `length` is that of the text alone (BM25F, Robertson, Zaragoza & Taylor 2004). Terms with
 * the same dimension are counted together. Only the 16,000 dimensions with the highest weights are kept. The arrays are
 * empty without words.
 * @param fields what `fieldsText` returns for the chunk
 */
export function chunkTerms(teamId: string, text: string, fields = ''): ChunkTerms {
  const counted = countWords(text);
  const sink: TermSink = { team: teamState(teamId), keys: [], packed: [] };
  sinkWords(sink, counted, TEXT_COUNT);
  if (fields !== '') sinkWords(sink, countWords(fields), FIELD_COUNT);
  return { keys: sortedUnique(sink.keys), ...weigh(Float64Array.from(sink.packed).sort(), counted.length) };
}

type Weights = Pick<ChunkTerms, 'dims' | 'weights'>;

interface TermSink {
  team: number;
  keys: number[];
  packed: number[];
}

/** Adds the terms of some words, each occurrence counted `times`. */
function sinkWords(sink: TermSink, { words, bigrams, compounds }: CountedWords, times: number): void {
  for (const [term, count] of bigrams) sinkExact(sink, term, count * times);
  for (const [term, count] of compounds) sinkExact(sink, term, count * times);
  for (const [word, count] of words) {
    sinkExact(sink, word, count * times);
    const folded = `_${foldMarks(word)}`;
    sink.keys.push(prefixKey(sink.team, folded));
    for (let i = 0; i < gramCount(folded); i++) sink.packed.push(pack(gramDim(folded, i), count * times));
  }
}

function sinkExact(sink: TermSink, term: string, count: number): void {
  sink.keys.push(exactKey(sink.team, term));
  sink.packed.push(pack(exactDim(term), count));
}

function pack(dim: number, count: number): number {
  return dim * PACK + Math.min(count, PACK - 1);
}

/** Dimensions and weights of sorted packed frequencies, for a text of the given length. */
function weigh(packed: Float64Array, length: number): Weights {
  const dims = new Int32Array(packed.length);
  const weights = new Float32Array(packed.length);
  const saturation = K1 * (1 - B + (B * length) / AVERAGE_LENGTH);
  let size = 0;
  for (let i = 0; i < packed.length; ) {
    const dim = Math.floor(packed[i]! / PACK);
    let count = 0;
    for (; i < packed.length && packed[i]! < (dim + 1) * PACK; i++) count += packed[i]! - dim * PACK;
    const frequency = count / TEXT_COUNT;
    dims[size] = dim;
    weights[size] = (frequency * (K1 + 1)) / (frequency + saturation);
    size += 1;
  }
  return heaviest(dims.slice(0, size), weights.slice(0, size));
}

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
  for (const term of [...words.keys(), ...bigrams.keys(), ...compounds.keys()]) {
    const key = exactKey(team, term);
    const identifier = isIdentifier(term);
    keys.set(key, term);
    ask(exactDim(term), term, 'exact', identifier ? IDENTIFIER_FACTOR : 1);
    if (identifier) identifierKeys.add(key);
  }
  for (const word of words.keys()) {
    const folded = `_${foldMarks(word)}`;
    const prefix = prefixKey(team, folded);
    if (!keys.has(prefix)) keys.set(prefix, `${folded.slice(1, 1 + PREFIX_LENGTH)}*`);
    for (let i = 0; i < gramCount(folded); i++) {
      ask(gramDim(folded, i), folded.slice(i, i + GRAM_LENGTH), 'gram', GRAM_FACTOR);
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

function teamState(teamId: string): number {
  return hashState(':', hashState(teamId));
}

function toDim(state: number): number {
  return (finishHash(state) & (TERM_DIMENSIONS - 1)) + 1;
}

function exactDim(term: string): number {
  return toDim(hashState(term, EXACT));
}

function exactKey(team: number, term: string): number {
  return finishHash(hashState(term, team));
}

/** How many grams a folded word with `_` before it has. A short word is one gram. */
function gramCount(folded: string): number {
  return Math.max(1, folded.length - GRAM_LENGTH + 1);
}

function gramDim(folded: string, index: number): number {
  return toDim(hashState(folded, GRAM, index, Math.min(index + GRAM_LENGTH, folded.length)));
}

/** The key of a prefix ends with `*`, which no exact term contains: a code must not find longer codes. */
function prefixKey(team: number, folded: string): number {
  const state = hashState(folded, team, 1, Math.min(1 + PREFIX_LENGTH, folded.length));
  return finishHash(hashState('*', state));
}

function sortedUnique(values: number[]): Int32Array<ArrayBuffer> {
  const sorted = Int32Array.from(values).sort();
  let size = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[size++] = sorted[i]!;
  }
  return sorted.slice(0, size);
}
