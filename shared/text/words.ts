/**
 * Divides text into words, in every script and without knowing the language. Stored texts and queries use the same
 * rules. No dictionary and no `Intl.Segmenter`, because their results change between ICU versions, while the terms
 * made of these words stay in the database.
 */

import { boundMarks, MAX_NORMAL_LENGTH } from './bounds.ts';
import { characterKind, EAST_ASIAN, isNormal, OTHER, SOUTH_EAST_ASIAN, SPACED } from './terms/characters.ts';

/** The words of one text, each with how often it occurs. */
export interface CountedWords {
  /** Words in scripts that separate words by spaces. */
  words: Map<string, number>;
  /** Pairs of neighbouring graphemes in other scripts. A single grapheme without a neighbour counts as a bigram. */
  bigrams: Map<string, number>;
  /** Words joined by punctuation: codes, paths, addresses, versions, dates. */
  compounds: Map<string, number>;
  /** Length of the text in words. A bigram counts as a part of a word. */
  length: number;
}

/** The length of a bigram in words: an average Chinese word has two characters, a Thai one about three. */
const EAST_ASIAN_BIGRAM_LENGTH = 0.5;
const SOUTH_EAST_ASIAN_BIGRAM_LENGTH = 0.35;

const JOINERS = '-_./:@#+';
const JOINER = /[-_./:@#+]/;
const COMPOUND_WORTH_KEEPING = /[\p{N}_./:@#+]/u;

/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Typographic hyphens, which word processors use instead of the plain hyphen. */
const HYPHEN = /[\u2010\u2011]/g;
/**
 * Normalizes compatibility forms, invisible characters and case, so that texts that look the same are the same. Linear in
 * the length of the text. The result has at most `MAX_NORMAL_LENGTH` code units; the rest is cut off.
 */
export function normalizeText(text: string): string {
  if (isNormal(text)) return text.toLowerCase().slice(0, MAX_NORMAL_LENGTH);
  // Before the bound on marks and before normalization: between marks, they would pass the one and slow down the other.
  const visible = boundMarks(text.replace(INVISIBLE, ''));
  const composed = visible.normalize('NFKC').slice(0, MAX_NORMAL_LENGTH);
  return composed.replace(HYPHEN, '-').toLowerCase().normalize('NFC').slice(0, MAX_NORMAL_LENGTH);
}

/** Receives the words, bigrams and compounds of a normalized text, each as a part of it. */
export interface WordVisitor {
  word(normal: string, from: number, to: number): void;
  bigram(normal: string, from: number, to: number): void;
  compound(normal: string, from: number, to: number): void;
}

/**
 * Finds the words, bigrams and compounds of a text. Linear in its length.
 * @param normal what `normalizeText` returns
 * @returns its length in words. A bigram counts as a part of a word
 */
export function visitWords(normal: string, visitor: WordVisitor): number {
  let length = 0;
  // The words joined so far: where they start and end in `normal`, and how many there are.
  let joinedFrom = 0;
  let joinedTo = 0;
  let joined = 0;
  for (let from = 0; from < normal.length; ) {
    const first = normal.codePointAt(from)!;
    const kind = characterKind(first);
    let to = from + (first > 0xffff ? 2 : 1);
    if (kind !== OTHER) to = runEnd(normal, to, kind);
    if (kind === EAST_ASIAN) length += EAST_ASIAN_BIGRAM_LENGTH * visitBigrams(normal, from, to, visitor);
    else if (kind === SOUTH_EAST_ASIAN) {
      length += SOUTH_EAST_ASIAN_BIGRAM_LENGTH * visitBigrams(normal, from, to, visitor);
    } else if (kind === SPACED) {
      visitor.word(normal, from, to);
      length += 1;
      if (joined > 0 && from === joinedTo + 1 && JOINERS.includes(normal.charAt(joinedTo))) joined += 1;
      else {
        if (joined > 1) visitCompound(normal, joinedFrom, joinedTo, visitor);
        joinedFrom = from;
        joined = 1;
      }
      joinedTo = to;
    }
    from = to;
  }
  if (joined > 1) visitCompound(normal, joinedFrom, joinedTo, visitor);
  return length;
}

/** Where the characters of a kind end that start before `to`. */
function runEnd(normal: string, to: number, kind: number): number {
  let end = to;
  while (end < normal.length) {
    const point = normal.codePointAt(end)!;
    if (characterKind(point) !== kind) break;
    end += point > 0xffff ? 2 : 1;
  }
  return end;
}

/** Visits the bigrams of a run and returns their number, which is at least one. The run must not be empty. */
function visitBigrams(normal: string, from: number, to: number, visitor: WordVisitor): number {
  // The last two graphemes before index `i` start at `first` and `second`: together they are a bigram.
  let first = from;
  let second = from;
  let count = 0;
  for (let i = from + 1; i <= to; i++) {
    if (i < to && !startsGrapheme(normal, i)) continue;
    if (second > first) {
      visitor.bigram(normal, first, i);
      count += 1;
    }
    first = second;
    second = i;
  }
  if (count > 0) return count;
  visitor.bigram(normal, from, to);
  return 1;
}

/**
 * Plain words joined by hyphens ("well-known") are not visited as a compound, because their words are enough to find
 * them.
 */
function visitCompound(normal: string, from: number, to: number, visitor: WordVisitor): void {
  if (COMPOUND_WORTH_KEEPING.test(normal.slice(from, to))) visitor.compound(normal, from, to);
}

/** Counts the words, bigrams and compounds of a text. Linear in its length. */
export function countWords(text: string): CountedWords {
  const words = new Map<string, number>();
  const bigrams = new Map<string, number>();
  const compounds = new Map<string, number>();
  const length = visitWords(normalizeText(text), {
    word: (normal, from, to) => add(words, normal.slice(from, to)),
    bigram: (normal, from, to) => add(bigrams, normal.slice(from, to)),
    compound: (normal, from, to) => add(compounds, normal.slice(from, to)),
  });
  return { words, bigrams, compounds, length };
}

const MARK = /^\p{M}/u;
const MYANMAR_VIRAMA = 0x1039;
const KHMER_COENG = 0x17d2;

/** Cache for each code unit: 0 is unknown, 1 is a mark, 2 is no mark. Without it, Thai took 3 times as long. */
const knownMarks = new Uint8Array(2 ** 16);

/**
 * Whether a grapheme starts at `index`, which must be above 0. No grapheme starts at a mark, or at a consonant that a
 * Khmer coeng or a Myanmar virama joins to the one before.
 */
function startsGrapheme(run: string, index: number): boolean {
  const unit = run.charCodeAt(index);
  const previous = run.charCodeAt(index - 1);
  if (previous === MYANMAR_VIRAMA || previous === KHMER_COENG) return false;
  if (unit >= 0xd800 && unit <= 0xdfff) return unit < 0xdc00 && !MARK.test(run.slice(index, index + 2));
  if (knownMarks[unit] === 0) knownMarks[unit] = MARK.test(run.charAt(index)) ? 1 : 2;
  return knownMarks[unit] === 2;
}

const STARTS_SOUTH_EAST_ASIAN = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** The length of a bigram in words. */
export function bigramLength(bigram: string): number {
  return STARTS_SOUTH_EAST_ASIAN.test(bigram) ? SOUTH_EAST_ASIAN_BIGRAM_LENGTH : EAST_ASIAN_BIGRAM_LENGTH;
}

function add(counts: Map<string, number>, term: string): void {
  counts.set(term, (counts.get(term) ?? 0) + 1);
}

/**
 * Ordinals and decades. They have letters and digits but are not codes. The endings are those of English, German,
 * French, Spanish, Portuguese, Italian and Russian, in this order.
 */
const ORDINAL =
  /^\p{Nd}+[-.]?(?:st|nd|rd|th|s|er|ers|ern|e|è|re|eme|ème|[oa]s?|[rdtmnv][oa]|й|я|е|х|го|му|м|ми|ти|ы[йх]|ая|о[ейм]|у?ю)$/u;
const LETTER = /\p{L}/u;
const DIGIT = /\p{Nd}/gu;
const HAS_DIGIT = /\p{Nd}/u;

/**
 * Whether a word or compound looks like a code that a person would search for exactly. A code has an underscore, at
 * least five digits, or both letters and digits (with at least four characters, and not an ordinal).
 */
export function isIdentifier(token: string): boolean {
  if (token.includes('_')) return true;
  const digits = token.match(DIGIT)?.length ?? 0;
  if (digits >= 5) return true;
  if (digits === 0 || token.length < 4 || !LETTER.test(token) || ORDINAL.test(token)) return false;
  // "20th-century" is not a code: only its ordinal has digits.
  return token.split(JOINER).some((part) => HAS_DIGIT.test(part) && !ORDINAL.test(part));
}
