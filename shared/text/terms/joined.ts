import { DIGIT, OMITTED } from './fold.ts';

/**
 * The joined forms of words that a writer divides and another does not: "e-mail" is also "email", "POCS-30017" is
 * "pocs30017", "O'Brien" is "obrien", "1,250,000" is "1250000".
 */

/** Joiners of words, apostrophes, and the marks of Catalan and Hebrew inside words. An acute accent often is an apostrophe. */
const JOINER = /[-_./:@#+&'`’‘·׳״"]| \u0301/;
const JOINERS = new Set(Array.from("-_./:@#+&'`’‘·׳״", (joiner) => joiner.charCodeAt(0)));
const SPACE = 0x20;
const ACUTE = 0x301;
const QUOTE = 0x22;
const PLUS = 0x2b;
const HASH = 0x23;

/** More words or longer ones are a path or an address: nobody types it without its joiners. */
const MAX_JOINED_WORDS = 8;
const MAX_JOINED_LENGTH = 64;

/** A word with so few characters is often typed together with the one beside it: "E-Mail-Adresse" has "email". */
const SHORT_WORD_LENGTH = 2;

/**
 * Digits that are long enough for a date, a telephone number or a card number, and not longer than any of them. Two numbers
 * with a space between them are more often two than one.
 */
const MIN_NUMBER_DIGITS = 7;
const MIN_SPACED_DIGITS = 9;
const MAX_NUMBER_DIGITS = 19;

const THOUSANDS = /^\p{Nd}{1,3}(?:[^\p{Nd}]\p{Nd}{3})+$/u;
const THOUSANDS_INSIDE =
  /(?<![\p{Nd},\u066c])\p{Nd}{1,3}(?:(?: \p{Nd}{3})+|(?:[,\u066c]\p{Nd}{2,3})*[,\u066c]\p{Nd}{3})(?!\p{Nd})/gu;
const NO_DIGITS = /\P{Nd}+/gu;
const SEPARATORS_OF_LISTS = /[,\u066c]| {2}/;
const SEPARATOR_OF_GROUPS = /[ ()]/;
/** The zero that is not dialled after the code of a country. */
const TRUNK_ZERO = /\(0\)/;
const IBAN = /^[a-z]{2}\d{2} [a-z\d]{4} [a-z\d ]+$/;
const IBAN_START = /^[a-z]{2}\d{2}$/;
const IBAN_GROUP_LENGTH = 4;
const OMITTED_CHARACTERS = /[\ufe00-\ufe0f\u02b9\u02bb\u02bc]/g;

/** Characters between groups of digits. */
const GROUP_SEPARATORS = new Set(Array.from(' ,\u066c.-/()', (separator) => separator.charCodeAt(0)));

/** Finds the joined forms of the words of one text. The words are added in their order. */
export class JoinedForms {
  readonly #normal: string;
  readonly #visit: (term: string) => void;
  /** The end of the last word; far before the text at first. */
  #to = -3;
  /** The words joined so far. */
  #from = 0;
  #count = 0;
  #traits = 0;
  /** The groups of digits so far. */
  #groupsFrom = 0;
  #groups = 0;
  #isIban = false;
  /** The length of the last group. */
  #groupLength = 0;

  /** @param visit receives each joined form */
  constructor(normal: string, visit: (term: string) => void) {
    this.#normal = normal;
    this.#visit = visit;
  }

  /** Adds the next word, which is a part of the text. */
  add(from: number, to: number, traits: number): void {
    const normal = this.#normal;
    const isNext = from === this.#to + 1;
    if (isNext && this.#joins(normal.charCodeAt(this.#to), from)) {
      this.#count += 1;
      this.#traits |= traits;
    } else {
      if (this.#count > 1) this.#endWords();
      this.#from = from;
      this.#count = 1;
      this.#traits = traits;
    }
    if ((traits & DIGIT) !== 0 || this.#groups > 0) this.#addGroup(from, to, traits);
    if ((traits & OMITTED) !== 0 && traits !== OMITTED)
      this.#visit(normal.slice(from, to).replace(OMITTED_CHARACTERS, ''));
    const after = normal.charCodeAt(to);
    if (after === PLUS || after === HASH) this.#addSigns(from, to);
    this.#to = to;
  }

  /** Ends the text. */
  end(): void {
    if (this.#count > 1) this.#endWords();
    if (this.#groups > 1) this.#endGroups();
  }

  /** Whether a character joins the last word with the one that starts at `from`. */
  #joins(joiner: number, from: number): boolean {
    if (joiner === SPACE) return this.#normal.charCodeAt(from) === ACUTE;
    // Only a quotation mark inside of a Hebrew word is a part of it.
    if (joiner === QUOTE) return isHebrew(this.#normal.charCodeAt(from - 2));
    return JOINERS.has(joiner);
  }

  #endWords(): void {
    if (this.#count > MAX_JOINED_WORDS || this.#to - this.#from > MAX_JOINED_LENGTH) return;
    const text = this.#normal.slice(this.#from, this.#to);
    for (const term of joinWords(text, this.#traits === DIGIT)) this.#visit(term);
  }

  /** "C++" and "C#": the signs after a word are a part of its name. */
  #addSigns(from: number, to: number): void {
    const normal = this.#normal;
    if (to - from > MAX_JOINED_LENGTH) return;
    let end = to;
    while (end - to < 3 && normal.charCodeAt(end) === normal.charCodeAt(to)) end += 1;
    const isDouble = end === to + 2 && normal.charCodeAt(to) === PLUS;
    // Between two words, a sign is a joiner.
    if (isDouble || (end === to + 1 && !WORD.test(normal.charAt(end)))) this.#visit(normal.slice(from, end));
  }

  #addGroup(from: number, to: number, traits: number): void {
    const isDigits = traits === DIGIT;
    if (this.#groups > 0) {
      const fits = to - this.#groupsFrom <= MAX_JOINED_LENGTH && this.#isBetweenGroups(this.#to, from);
      if (fits && (isDigits || (this.#isIban && this.#isIbanGroup(from, to, traits)))) {
        this.#groups += 1;
        this.#groupLength = to - from;
        return;
      }
      if (this.#groups > 1) this.#endGroups();
      this.#groups = 0;
    }
    this.#isIban =
      !isDigits && to - from === IBAN_GROUP_LENGTH && IBAN_START.test(this.#normal.slice(from, to));
    if (isDigits || this.#isIban) {
      this.#groupsFrom = from;
      this.#groups = 1;
      this.#groupLength = to - from;
    }
  }

  #isBetweenGroups(from: number, to: number): boolean {
    if (to - from > 2) return false;
    for (let i = from; i < to; i++) if (!GROUP_SEPARATORS.has(this.#normal.charCodeAt(i))) return false;
    return true;
  }

  /** Groups of an IBAN have four characters, except the last. Only the second can be without digits. */
  #isIbanGroup(from: number, to: number, traits: number): boolean {
    if (this.#groupLength !== IBAN_GROUP_LENGTH) return false;
    return to - from <= IBAN_GROUP_LENGTH && ((traits & DIGIT) !== 0 || this.#groups === 1);
  }

  #endGroups(): void {
    const text = this.#normal.slice(this.#groupsFrom, this.#to);
    for (const term of joinGroups(text)) this.#visit(term);
  }
}

const WORD = /[\p{L}\p{N}\p{M}]/u;

const isHebrew = (unit: number) => unit >= 0x590 && unit <= 0x5ff;

/** The joined forms of words with a joiner between each two. */
function joinWords(text: string, isDigits: boolean): string[] {
  const words = text.split(JOINER);
  const joined = words.join('');
  if (isDigits) {
    const isNumber = joined.length >= MIN_NUMBER_DIGITS && joined.length <= MAX_NUMBER_DIGITS;
    return isNumber || THOUSANDS.test(text) ? [joined] : [];
  }
  // Addresses and paths: their words are enough to find them.
  if (text.includes('@') || (words.length > 2 && text.includes('/'))) return [];
  const pairs =
    words.length === 2 || text.includes('_')
      ? []
      : words.slice(1).flatMap((word, index) => {
          const before = words[index] ?? '';
          return Math.min(word.length, before.length) <= SHORT_WORD_LENGTH ? [before + word] : [];
        });
  return [joined, ...pairs];
}

/** The joined forms of groups of digits: of numbers with thousands, and of telephone numbers, card numbers and IBANs. */
function joinGroups(text: string): string[] {
  if (IBAN.test(text)) return [text.replaceAll(' ', '')];
  const numbers = Array.from(text.matchAll(THOUSANDS_INSIDE), ([number]) => number);
  const forms = numbers.map((number) => number.replace(NO_DIGITS, ''));
  // Groups with a joiner between each two are joined as words.
  if (numbers[0] === text || SEPARATORS_OF_LISTS.test(text) || !SEPARATOR_OF_GROUPS.test(text)) return forms;
  const all = text.replace(TRUNK_ZERO, '').replace(NO_DIGITS, '');
  return all.length >= MIN_SPACED_DIGITS && all.length <= MAX_NUMBER_DIGITS ? [...forms, all] : forms;
}

/** Emoji, flags and other symbols. */

const FIRST_REGIONAL = 0x1f1e6;
const LAST_REGIONAL = 0x1f1ff;
/** Two letters that are a flag together, each of two code units. */
const FLAG_LENGTH = 4;

const FIRST_TAG = 0xe0020;
const LAST_TAG = 0xe007f;

const isRegional = (point: number | undefined) =>
  point !== undefined && point >= FIRST_REGIONAL && point <= LAST_REGIONAL;
const isTag = (point: number | undefined) => point !== undefined && point >= FIRST_TAG && point <= LAST_TAG;

/**
 * Where a symbol ends whose first character is from `from` to `to`. The two letters of a flag are one symbol, and so are a
 * flag and the tags after it, which name a region.
 */
export function symbolEnd(normal: string, from: number, to: number): number {
  if (isRegional(normal.codePointAt(from)))
    return isRegional(normal.codePointAt(to)) ? from + FLAG_LENGTH : to;
  let end = to;
  while (isTag(normal.codePointAt(end))) end += 2;
  return end;
}
