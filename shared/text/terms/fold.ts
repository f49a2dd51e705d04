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
const LETTER = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g');

/**
 * Removes the marks that writers often omit, which are accents, Arabic and Hebrew vowel signs, and the dot below a letter of
 * Hindi. Marks of other scripts stay, because they are vowels. Letters that are written in several ways are made one. The
 * result is in NFD, which splits Hangul syllables into letters, so that a Korean noun has the same beginning with and
 * without a particle. A word of nothing else is returned as it is.
 */
export function foldWord(word: string): string {
  if (isFolded(word, 0, word.length)) return word;
  const marked = word.normalize('NFD').replace(MARKS_AFTER_ALPHABET, '$1');
  const folded = marked.replace(LETTER, (letter) => LETTERS.get(letter) ?? letter);
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
