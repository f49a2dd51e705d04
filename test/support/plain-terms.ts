/**
 * The rules of terms in plain code: regular expressions, maps and a sort. The code of the service is faster and must
 * make the same terms, because those that are stored stay.
 */

import { finishHash, hashState } from '../../shared/text/hash.ts';
import { type ChunkTerms, MAX_CHUNK_DIMS, TERM_DIMENSIONS } from '../../shared/text/terms/terms.ts';
import { type CountedWords, countWords } from '../../shared/text/terms/words.ts';

/** The length of a bigram in words: an average Chinese word has two characters, a Thai one about three. */
const EAST_ASIAN_BIGRAM_LENGTH = 0.5;
const SOUTH_EAST_ASIAN_BIGRAM_LENGTH = 0.35;

const TOKEN =
  /([[\p{L}\p{N}\p{M}]&&[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}]]+)|([[\p{L}\p{N}\p{M}]&&[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+)|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv;

const JOINER = /[-_./:@#+]/;
const COMPOUND_WORTH_KEEPING = /[\p{N}_./:@#+]/u;

/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Typographic hyphens, which word processors use instead of the plain hyphen. */
const HYPHEN = /[\u2010\u2011]/g;
/**
 * More marks after one character than any real text has (Unicode's annex 15 allows 30). Includes two characters that
 * normalization turns into marks. Normalization sorts marks in quadratic time: 8,000 took 0.2 s.
 */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{64})[\p{M}\uff9e\uff9f]+/gu;

/** Normalizes compatibility forms, invisible characters and case, so that texts that look the same are the same. */
export function plainNormalize(text: string): string {
  const marked = text.replace(INVISIBLE, '').replace(TOO_MANY_MARKS, '$1');
  return marked.normalize('NFKC').replace(HYPHEN, '-').toLowerCase().normalize('NFC');
}

/** Characters of words that writers omit: some apostrophes, and variation selectors. */
const OMITTED = /^[\ufe00-\ufe0f\u02b9\u02bb\u02bc]+$/;

/**
 * Counts the words, bigrams and compounds of a text. Linear in its length. What is additional to them is made by code of
 * the service that is already plain.
 */
export function plainWords(text: string): CountedWords {
  const normal = plainNormalize(text);
  const counted: CountedWords = {
    ...countWords(text),
    words: new Map(),
    bigrams: new Map(),
    compounds: new Map(),
    length: 0,
  };
  // The words joined so far: where they start and end in `normal`, and how many there are.
  let joinedFrom = 0;
  let joinedTo = 0;
  let joined = 0;
  for (const match of normal.matchAll(TOKEN)) {
    const token = match[0];
    if (match[1] !== undefined) {
      counted.length += EAST_ASIAN_BIGRAM_LENGTH * countBigrams(token, counted.bigrams);
      continue;
    }
    if (match[2] !== undefined) {
      counted.length += SOUTH_EAST_ASIAN_BIGRAM_LENGTH * countBigrams(token, counted.bigrams);
      continue;
    }
    if (!OMITTED.test(token)) add(counted.words, token);
    counted.length += 1;
    if (joined > 0 && match.index === joinedTo + 1 && JOINER.test(normal.charAt(joinedTo))) {
      joined += 1;
    } else {
      if (joined > 1) addCompound(counted.compounds, normal.slice(joinedFrom, joinedTo));
      joinedFrom = match.index;
      joined = 1;
    }
    joinedTo = match.index + token.length;
  }
  if (joined > 1) addCompound(counted.compounds, normal.slice(joinedFrom, joinedTo));
  return counted;
}

/** Adds the bigrams of a run and returns their number, which is at least one. The run must not be empty. */
function countBigrams(run: string, bigrams: Map<string, number>): number {
  // The last two graphemes before index `i` start at `first` and `second`: together they are a bigram.
  let first = 0;
  let second = 0;
  let count = 0;
  for (let i = 1; i <= run.length; i++) {
    if (i < run.length && !startsGrapheme(run, i)) continue;
    if (second > first) {
      add(bigrams, run.slice(first, i));
      count += 1;
    }
    first = second;
    second = i;
  }
  if (count > 0) return count;
  add(bigrams, run);
  return 1;
}

const MARK = /^\p{M}/u;
const MYANMAR_VIRAMA = 0x1039;
const KHMER_COENG = 0x17d2;

/** Whether a grapheme starts at `index`, which must be above 0. */
function startsGrapheme(run: string, index: number): boolean {
  const previous = run.charCodeAt(index - 1);
  if (previous === MYANMAR_VIRAMA || previous === KHMER_COENG) return false;
  const unit = run.charCodeAt(index);
  return !(unit >= 0xdc00 && unit <= 0xdfff) && !MARK.test(run.slice(index, index + 2));
}

/**
 * Plain words joined by hyphens ("well-known") are not added as a compound, because their words are enough to find
 * them.
 */
function addCompound(compounds: Map<string, number>, compound: string): void {
  if (COMPOUND_WORTH_KEEPING.test(compound)) add(compounds, compound);
}

function add(counts: Map<string, number>, term: string): void {
  counts.set(term, (counts.get(term) ?? 0) + 1);
}

const MARKS_AFTER_ALPHABET = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu;
const OTHER_LETTERS: readonly [RegExp, string][] = [
  [/ß/g, 'ss'],
  [/ł/g, 'l'],
  [/ø/g, 'o'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/ı/g, 'i'],
  [/[đð]/g, 'd'],
  [/þ/g, 'th'],
  [/ħ/g, 'h'],
  [/ŋ/g, 'n'],
  [/ς/g, 'σ'],
  [/ך/g, 'כ'],
  [/ם/g, 'מ'],
  [/ן/g, 'נ'],
  [/ף/g, 'פ'],
  [/ץ/g, 'צ'],
  [/ة/g, 'ه'],
  [/[ىی]/g, 'ي'],
  [/ک/g, 'ك'],
  [/[ـ\u093c]/g, ''],
];

/** Removes the marks that writers often omit, and makes one of letters that are written in several ways. */
function plainFold(word: string): string {
  let folded = word.normalize('NFD').replace(MARKS_AFTER_ALPHABET, '$1');
  for (const [letter, other] of OTHER_LETTERS) folded = folded.replace(letter, other);
  return folded === '' ? word : folded;
}

const EXACT = hashState('e');
const GRAM = hashState('g');
const GRAM_LENGTH = 4;

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
export function plainTerms(teamId: string, text: string, fields = ''): ChunkTerms {
  const counted = plainWords(text);
  const sink: TermSink = { team: teamState(teamId), keys: [], packed: [] };
  sinkWords(sink, counted, TEXT_COUNT);
  if (fields !== '') sinkWords(sink, plainWords(fields), FIELD_COUNT);
  return { keys: sortedUnique(sink.keys), ...weigh(Float64Array.from(sink.packed).sort(), counted.length) };
}

type Weights = Pick<ChunkTerms, 'dims' | 'weights'>;

interface TermSink {
  team: number;
  keys: number[];
  packed: number[];
}

/** Adds the terms of some words, each occurrence counted `times`. */
function sinkWords(sink: TermSink, counted: CountedWords, times: number): void {
  const { words, bigrams, compounds, parts, joined, signs, symbols } = counted;
  for (const [term, count] of bigrams) {
    sink.keys.push(pairKey(sink.team, term));
    sink.packed.push(pack(exactDim(term), count * times));
  }
  for (const sign of signs.keys()) sink.keys.push(finishHash(hashState(`${sign}*sign`, sink.team)));
  for (const counts of [compounds, symbols]) {
    for (const [term, count] of counts) sinkExact(sink, term, count * times);
  }
  for (const [term, count] of [...parts, ...joined]) {
    const word = plainFold(term);
    sink.packed.push(pack(exactDim(word), count * times));
    sink.keys.push(wordKey(sink.team, word));
    if (word.length > 4 && !isSemitic(word)) sink.keys.push(kindKey(sink.team, word.slice(0, 4), '<'));
  }
  for (const [written, count] of words) {
    const word = plainFold(written);
    sink.packed.push(pack(exactDim(word), count * times));
    sink.keys.push(wordKey(sink.team, word), ...partKeys(sink.team, word));
    const marked = `_${word}`;
    for (let i = 0; i < gramCount(marked); i++) sink.packed.push(pack(gramDim(marked, i), count * times));
    if (isSemitic(word) && root(word) !== word) {
      sink.packed.push(pack(gramDim(`_${root(word)}`, 0), count * times));
    }
  }
}

/** Arabic characters of other planes are old numerals and signs of mathematics, which have no root. */
const isSemitic = (word: string) => /^[[\p{sc=Hebrew}\p{sc=Arabic}]&&[\0-\uffff]]/v.test(word);

/** A Hebrew or Arabic word without what is joined before it; at least three letters are left. */
function root(word: string): string {
  const before = /^(?:[והבכלמש]{1,6}|[وف]?[بك]?ال|[وف]?لل|[وفبلك])/.exec(word)?.[0].length ?? 0;
  return word.slice(Math.max(0, Math.min(before, word.length - 3)));
}

/** The keys of the beginning and the pieces of a word, or of its root. */
function partKeys(team: number, word: string): number[] {
  if (isSemitic(word)) {
    return word.length < 4 ? [] : [word, root(word)].map((part) => kindKey(team, part.slice(0, 3), '^'));
  }
  if (word.length < 5) return [];
  const keys = [kindKey(team, word.slice(0, 4), '<')];
  if (word.length < 9 || word.length > 64 || /\p{N}/u.test(word)) return keys;
  for (let end = word.length; end >= 8; end -= 3) keys.push(kindKey(team, word.slice(end - 5, end), '>'));
  return keys;
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

const PAIR_KINDS = 128;

/** The key of a bigram that begins with Han, or with a letter with marks, is made of this grapheme and a kind of the rest. */
function pairKey(team: number, bigram: string): number {
  let end = 1;
  while (end < bigram.length && !startsGrapheme(bigram, end)) end += 1;
  const isHan = bigram >= '\u3400';
  const isLetterWithMarks = bigram < '\u3000' && end > 1;
  if (end === bigram.length || !(isHan || isLetterWithMarks)) return exactKey(team, bigram);
  const kind = finishHash(hashState(bigram.slice(end), team)) & (PAIR_KINDS - 1);
  return finishHash(hashState(bigram.slice(0, end), team) ^ Math.imul(kind + 1, 0x9e3779b1));
}

/** How many grams a folded word with `_` before it has. A short word is one gram. */
function gramCount(folded: string): number {
  return Math.max(1, folded.length - GRAM_LENGTH + 1);
}

function gramDim(folded: string, index: number): number {
  return toDim(hashState(folded, GRAM, index, Math.min(index + GRAM_LENGTH, folded.length)));
}

/** The key of a whole word. Those of short words are no keys of codes. */
function wordKey(team: number, word: string): number {
  return word.length < 5 ? kindKey(team, word, '*') : exactKey(team, word);
}

function kindKey(team: number, text: string, kind: string): number {
  return finishHash(hashState(text + kind, team));
}

function sortedUnique(values: number[]): Int32Array<ArrayBuffer> {
  const sorted = Int32Array.from(values).sort();
  let size = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[size++] = sorted[i]!;
  }
  return sorted.slice(0, size);
}
