import { boundMarks, MAX_NORMAL_LENGTH } from '../bounds.ts';

/**
 * Folds words: writers leave out accents, and type other letters in place of some. Stored words and those of a query are
 * folded alike. The terms that are made of folded words are stored, so a change of these rules needs a new
 * `TERMS_VERSION`.
 */

const MARKS_AFTER_ALPHABET = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}])\p{M}+/gu;

/**
 * Letters that Unicode does not take apart, and what is typed in their place; the final forms of Greek and Hebrew, so that
 * a word has the same letters with and without an ending; and Arabic letters that are often confused. An empty text: the
 * letter only lengthens a line, or the mark is often omitted.
 */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['ł', 'l'],
  ['ø', 'o'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ı', 'i'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ŋ', 'n'],
  ['ς', 'σ'],
  ['ך', 'כ'],
  ['ם', 'מ'],
  ['ן', 'נ'],
  ['ף', 'פ'],
  ['ץ', 'צ'],
  ['ة', 'ه'],
  ['ى', 'ي'],
  ['ی', 'ي'],
  ['ک', 'ك'],
  ['ـ', ''],
  // The dot below a letter of Hindi.
  ['\u093c', ''],
]);
const foldLETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');

/**
 * Removes the marks that writers often omit, which are accents, Arabic and Hebrew vowel signs, and the dot below a letter of
 * Hindi. Marks of other scripts stay, because they are vowels. Letters that are written in several ways are made one. The
 * result is in NFD, which splits Hangul syllables into letters, so that a Korean noun has the same beginning with and
 * without a particle. A word of nothing else is returned as it is.
 */
export function foldWord(word: string): string {
  if (isFolded(word, 0, word.length)) return word;
  const marked = word.normalize('NFD').replace(MARKS_AFTER_ALPHABET, '$1');
  const folded = marked.replace(foldLETTER, (letter) => LETTERS.get(letter) ?? letter);
  return folded === '' ? word : folded;
}

const YES = 1;
const NO = 2;
const SURROGATE = /^[\ud800-\udfff]/;
const MARK = /^\p{M}/u;

/** For each code unit whether it stays when words are folded; 0 is unknown. */
const knownFolded = new Uint8Array(2 ** 16);

/**
 * Whether a part of a text consists only of characters that `foldWord` leaves as they are. Words of other alphabets often
 * do, so that they need not be normalized.
 */
export function isFolded(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    const known = knownFolded[unit] || (knownFolded[unit] = isFoldedUnit(unit) ? YES : NO);
    if (known === NO) return false;
  }
  return true;
}

function isFoldedUnit(unit: number): boolean {
  const character = String.fromCharCode(unit);
  return (
    !SURROGATE.test(character) &&
    !MARK.test(character) &&
    character.normalize('NFD') === character &&
    !LETTERS.has(character)
  );
}

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
/** Consonants and vowels that normalization joins with the one before. */
const HANGUL_LETTER = /^[\u1100-\u11ff]/;
/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark, typographic hyphens. */
const REPLACED = /^[\u00ad\u200b-\u200d\u2010\u2011\u2060\ufeff]/;

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

/** The form of a text that its words are found in. */

/** Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
/** Typographic hyphens, which word processors use instead of the plain hyphen. */
const HYPHEN = /[\u2010\u2011]/g;
/**
 * Normalizes compatibility forms, invisible characters and case, so that texts that look the same are the same. Linear in
 * the length of the text. The result has at most `MAX_NORMAL_LENGTH` code units; the rest is cut off.
 */
export function normalizeText(text: string): string {
  return normalizeCased(text).normal;
}

/** A normalized text. */
export interface NormalText {
  normal: string;
  /** The same before it was turned into lower case. Each character has the same place in both. */
  cased: string;
}

/** Normalizes a text as `normalizeText` does, and returns it also with its upper case letters. */
export function normalizeCased(text: string): NormalText {
  if (isNormal(text)) {
    const normal = text.toLowerCase().slice(0, MAX_NORMAL_LENGTH);
    return { normal, cased: text.slice(0, MAX_NORMAL_LENGTH) };
  }
  // Before the bound on marks and before normalization: between marks, they would pass the one and slow down the other.
  const visible = boundMarks(text.replace(INVISIBLE, ''));
  const composed = visible.normalize('NFKC').slice(0, MAX_NORMAL_LENGTH).replace(HYPHEN, '-');
  const normal = composed.toLowerCase().normalize('NFC').slice(0, MAX_NORMAL_LENGTH);
  return { normal, cased: alignCase(composed, normal) };
}

const DOTTED_CAPITAL = /\u0130/g;
const CAPITAL_WITH_MARKS = /\p{Lu}\p{M}+/gu;

/**
 * Returns `composed` with each character at its place in `normal`. Only a dotted capital i is longer in lower case, and only
 * a few capitals with marks are shorter.
 */
function alignCase(composed: string, normal: string): string {
  if (composed.length === normal.length) return composed;
  const aligned = composed
    .replace(DOTTED_CAPITAL, 'I\u0307')
    .replace(CAPITAL_WITH_MARKS, (capital) => {
      const lower = capital.toLowerCase().normalize('NFC');
      return lower.length === capital.length ? capital : lower;
    })
    .slice(0, MAX_NORMAL_LENGTH);
  return aligned.length === normal.length ? aligned : normal;
}
