/**
 * What characters are, looked up in tables: regular expressions with classes of characters took most of the time of making
 * terms. The tables are filled as characters occur, by those expressions, so both always agree.
 */

/** The kinds of characters that words are made of. */
export const OTHER = 1;
export const SPACED = 2;
export const EAST_ASIAN = 3;
export const SOUTH_EAST_ASIAN = 4;
/** Emoji and other symbols that people search for. Not a part of a word. */
export const SYMBOL = 5;

const IN_WORD = /^[\p{L}\p{N}\p{M}]/u;
const IS_EAST_ASIAN = /^[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const IS_SOUTH_EAST_ASIAN = /^[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/**
 * Emoji, flags, currencies, mathematical and other symbols. Without those of ASCII, which are everywhere in program text;
 * accents and skin tones, which only change others; lines, blocks and dots that draw; and replaced characters.
 */
const IS_SYMBOL =
  /^[[\p{S}\p{Extended_Pictographic}\u00a7\u00b6\u2020\u2021\u2030]--[\0-\x7f\p{Sk}\u2500-\u259f\u2800-\u28ff\ufffc\ufffd]]/v;

/** For each code point its kind; 0 is unknown. */
const knownKinds = new Uint8Array(0x11_0000);

/**
 * The kind of a code point: a part of a word in a script that separates words by spaces (`SPACED`); Han or Kana; Thai,
 * Lao, Khmer or Myanmar; a symbol (`SYMBOL`); or neither a part of a word nor a symbol (`OTHER`). Marks are part of words, because otherwise every Hindi or
 * Tamil word would be split at its vowels.
 */
export function characterKind(point: number): number {
  return knownKinds[point] || (knownKinds[point] = findKind(String.fromCodePoint(point)));
}

function findKind(character: string): number {
  if (!IN_WORD.test(character)) return IS_SYMBOL.test(character) ? SYMBOL : OTHER;
  if (IS_EAST_ASIAN.test(character)) return EAST_ASIAN;
  return IS_SOUTH_EAST_ASIAN.test(character) ? SOUTH_EAST_ASIAN : SPACED;
}

const MARK = /^\p{M}/u;
/** Consonants and vowels that normalization joins with the one before. */
const HANGUL_LETTER = /^[\u1100-\u11ff]/;
/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark, typographic hyphens. */
const REPLACED = /^[\u00ad\u200b-\u200d\u2010\u2011\u2060\ufeff]/;
const SURROGATE = /^[\ud800-\udfff]/;

/** What a character of a word is for the forms of the word. A word has the traits of all its characters. */
export const LETTER = 1;
export const DIGIT = 2;
/** An apostrophe that Unicode counts as a letter, or a variation selector: writers omit both. */
export const OMITTED = 4;
/** An upper case letter after the first character, before the text was turned into lower case. */
export const HUMP = 8;

const IS_DIGIT = /^\p{Nd}/u;
const IS_OMITTED = /^[\ufe00-\ufe0f\u02b9\u02bb\u02bc]/;

/** For each code unit its trait; 0 is unknown. */
const knownTraits = new Uint8Array(2 ** 16);

/** The trait of a code unit of a word: `LETTER`, `DIGIT` or `OMITTED`. Marks and halves of surrogate pairs are letters. */
export function unitTraits(unit: number): number {
  return knownTraits[unit] || (knownTraits[unit] = findTraits(String.fromCharCode(unit)));
}

function findTraits(character: string): number {
  if (IS_OMITTED.test(character)) return OMITTED;
  return IS_DIGIT.test(character) ? DIGIT : LETTER;
}

/** The traits of a word, which is a part of a normalized text and of the same text before it was turned into lower case. */
export function wordTraits(normal: string, cased: string, from: number, to: number): number {
  let traits = 0;
  for (let i = from; i < to; i++) {
    const unit = normal.charCodeAt(i);
    traits |= knownTraits[unit] || unitTraits(unit);
    if (i > from && unit !== cased.charCodeAt(i) && isHump(normal, cased, i)) traits |= HUMP;
  }
  return traits;
}

/** Whether a text had an upper case letter here. Letters of two code units, of rare alphabets, do not count. */
export function isHump(normal: string, cased: string, index: number): boolean {
  const unit = normal.charCodeAt(index);
  return unit !== cased.charCodeAt(index) && !(unit >= 0xd800 && unit <= 0xdfff);
}

const YES = 1;
const NO = 2;

/** For each code unit whether it is normal; 0 is unknown. */
const knownNormal = new Uint8Array(2 ** 16);

/**
 * Whether a text consists only of characters that normalization (NFKC) changes neither in this text nor in lower case, and
 * that have no special meaning for the division into words. Most texts do, and need not be normalized. A few texts that
 * normalization does not change are not recognized.
 */
export function isNormal(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const known = knownNormal[unit] || (knownNormal[unit] = isNormalUnit(unit) ? YES : NO);
    if (known === NO) return false;
  }
  return true;
}

/** A character that normalization can join with the one before is a mark, a letter of Hangul, or not of one code unit. */
function isNormalUnit(unit: number): boolean {
  const character = String.fromCharCode(unit);
  if ([SURROGATE, MARK, HANGUL_LETTER, REPLACED].some((special) => special.test(character))) return false;
  const lower = character.toLowerCase();
  return character.normalize('NFKC') === character && lower.length === 1 && lower.normalize('NFC') === lower;
}
