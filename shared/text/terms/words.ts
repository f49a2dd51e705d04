import {
  characterKind,
  DIGIT,
  EAST_ASIAN,
  HUMP,
  isHump,
  LETTER,
  type NormalText,
  normalizeCased,
  OMITTED,
  OTHER,
  SOUTH_EAST_ASIAN,
  SPACED,
  SYMBOL,
  unitTraits,
  wordTraits,
} from './fold.ts';
import { JoinedForms, symbolEnd } from './joined.ts';

/** The parts of names in program text: `getUserById` has "get", "user", "by" and "id", `sha256` has "sha" and "256". */

/** Longer words are not divided: they are not names, and would have very many parts. */
const MAX_NAME_LENGTH = 64;
/** A part with more changes between letters and digits is a code, such as a hash, whose pieces mean nothing. */
const MAX_DIGIT_PIECES = 3;

/** Receives the parts of a word, each as a part of a text. */
interface PartVisitor {
  part(normal: string, from: number, to: number): void;
}

/** Whether a word with these traits can have parts. */
function hasParts(traits: number): boolean {
  return (traits & OMITTED) === 0 && ((traits & HUMP) !== 0 || traits === (LETTER | DIGIT));
}

type VisitPart = (from: number, to: number) => void;

/** A word: a part of a normalized text, and of the same text before it was turned into lower case. */
interface Name {
  normal: string;
  cased: string;
  from: number;
  to: number;
}

const isUpper = ({ normal, cased }: Name, index: number) => isHump(normal, cased, index);
const isDigit = ({ normal }: Name, index: number) => unitTraits(normal.charCodeAt(index)) === DIGIT;
const isLower = (name: Name, index: number) =>
  index < name.to && !isUpper(name, index) && !isDigit(name, index);

/**
 * Visits the parts of a word: between a lower and an upper case letter, before the last capital of several if a lower
 * case letter follows (`HTTPServer`), after digits (`utf8Decoder`), and between letters and digits. A word of one part
 * is not visited.
 */
function visitParts(normal: string, cased: string, from: number, to: number, visitor: PartVisitor): void {
  if (to - from > MAX_NAME_LENGTH) return;
  const name: Name = { normal, cased, from, to };
  const visit: VisitPart = (start, end) => visitor.part(normal, start, end);
  let start = from;
  // Where the second capital of a part is that begins with two: "OAuth" is both one part and "O" with "Auth".
  let second = 0;
  const end = (at: number) => {
    if (start > from || at < to) visit(start, at);
    if (second > 0) {
      visit(start, second);
      visit(second, at);
    }
    visitDigitPieces(name, start, at, visit);
    start = at;
    second = 0;
  };
  let hasLetter = !isDigit(name, from);
  for (let i = from + 1; i < to; i++) {
    if (!isUpper(name, i)) {
      hasLetter ||= !isDigit(name, i);
      continue;
    }
    if (!isUpper(name, i - 1)) {
      // Digits before the first letter belong to it: "3DModel".
      if (hasLetter) end(i);
    } else if (isLower(name, i + 1) && !isPlural(name, i + 1)) {
      if (i - start > 1) end(i);
      else second = i;
    }
    hasLetter = true;
  }
  end(to);
}

/** Whether the "s" of "APIs" is at this index: the acronym before it is one part with it. */
function isPlural(name: Name, index: number): boolean {
  return name.normal.charCodeAt(index) === 0x73 && !isLower(name, index + 1);
}

/** Visits the runs of letters and of digits of a part that has both. */
function visitDigitPieces(name: Name, from: number, to: number, visit: VisitPart): void {
  const starts = [from];
  for (let i = from + 1; i < to; i++) {
    if (isDigit(name, i) !== isDigit(name, i - 1)) starts.push(i);
    if (starts.length > MAX_DIGIT_PIECES) return;
  }
  if (starts.length === 1) return;
  for (const [index, start] of starts.entries()) visit(start, starts[index + 1] ?? to);
}

/**
 * Divides text into words, in every script and without knowing the language. Stored texts and queries use the same
 * rules. No dictionary and no `Intl.Segmenter`, because their results change between ICU versions, while the terms
 * made of these words stay in the database.
 */

/** The words of one text, each with how often it occurs. */
export interface CountedWords {
  /** Words in scripts that separate words by spaces. */
  words: Map<string, number>;
  /** Pairs of neighbouring graphemes in other scripts. A single grapheme without a neighbour counts as a bigram. */
  bigrams: Map<string, number>;
  /** Words joined by punctuation: codes, paths, addresses, versions, dates. */
  compounds: Map<string, number>;
  /** Parts of words: of names in program text, and the letters and the digits of a word that has both. */
  parts: Map<string, number>;
  /** Words joined by punctuation, without it; numbers without separators; words without apostrophes. */
  joined: Map<string, number>;
  /** Graphemes of other scripts that have a key of their own: see `WordVisitor`. */
  signs: Map<string, number>;
  /** Emoji and other symbols. */
  symbols: Map<string, number>;
  /** Length of the text in words. A bigram counts as a part of a word. */
  length: number;
}

/** The length of a bigram in words: an average Chinese word has two characters, a Thai one about three. */
const EAST_ASIAN_BIGRAM_LENGTH = 0.5;
const SOUTH_EAST_ASIAN_BIGRAM_LENGTH = 0.35;

const JOINERS = '-_./:@#+';
const JOINER = /[-_./:@#+]/;
const COMPOUND_WORTH_KEEPING = /[\p{N}_./:@#+]/u;

/** Receives the words, bigrams and compounds of a normalized text, each as a part of it, and more that finds them. */
export interface WordVisitor {
  word(normal: string, from: number, to: number): void;
  /** @param second where the second grapheme starts; `to` if there is only one */
  bigram(normal: string, from: number, to: number, second: number): void;
  compound(normal: string, from: number, to: number): void;
  /** A run that is no term, because writers omit it, such as a variation selector. It counts as a word of the text. */
  omitted(normal: string, from: number, to: number): void;
  /** A part of a word, additional to it. Counts towards no length. */
  part(normal: string, from: number, to: number): void;
  /** A form of words without what joins them, additional to them. Not a part of the text. Counts towards no length. */
  joined(term: string): void;
  /** A grapheme of a script without spaces that has a key of its own, because the keys of its bigrams do not find it. */
  sign(normal: string, from: number, to: number): void;
  /** An emoji or another symbol, without skin tone and variation. Counts towards no length. */
  symbol(normal: string, from: number, to: number): void;
}

/**
 * Finds the words, bigrams and compounds of a text, and more that finds them. Linear in its length.
 * @param text what `normalizeCased` returns
 * @returns its length in words. A bigram counts as a part of a word
 */
export function visitWords({ normal, cased }: NormalText, visitor: WordVisitor): number {
  const forms = new JoinedForms(normal, (term) => visitor.joined(term));
  let length = 0;
  // The words joined so far: where they start and end in `normal`, and how many there are.
  let joinedFrom = 0;
  let joinedTo = 0;
  let joined = 0;
  for (let from = 0; from < normal.length; ) {
    const first = normal.codePointAt(from)!;
    const kind = characterKind(first);
    let to = from + (first > 0xffff ? 2 : 1);
    if (kind === SYMBOL) {
      to = symbolEnd(normal, from, to);
      visitor.symbol(normal, from, to);
    } else if (kind !== OTHER) to = runEnd(normal, to, kind);
    if (kind === EAST_ASIAN) length += EAST_ASIAN_BIGRAM_LENGTH * visitBigrams(normal, from, to, visitor);
    else if (kind === SOUTH_EAST_ASIAN) {
      length += SOUTH_EAST_ASIAN_BIGRAM_LENGTH * visitBigrams(normal, from, to, visitor);
    } else if (kind === SPACED) {
      const traits = wordTraits(normal, cased, from, to);
      if (traits === OMITTED) visitor.omitted(normal, from, to);
      else visitor.word(normal, from, to);
      if (hasParts(traits)) visitParts(normal, cased, from, to, visitor);
      forms.add(from, to, traits);
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
  forms.end();
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

/** The first of the Han characters. The scripts of Kana and of South East Asia are before it. */
const FIRST_HAN = 0x3400;
const FIRST_KANA = 0x3000;

/**
 * Whether the key of a bigram that begins with this grapheme tells which one it is, so that it finds the grapheme too: Han,
 * and South East Asian letters with marks. Kana and letters without marks begin so many bigrams of one text that these
 * keys would no longer divide texts.
 */
export function isFirstOfPairs(text: string, from: number, to: number): boolean {
  const unit = text.charCodeAt(from);
  return unit >= FIRST_HAN || (unit < FIRST_KANA && to > from + 1);
}

/** Whether a grapheme has a key of its own besides those of its bigrams. A letter without marks is not searched for. */
function isSign(text: string, from: number, to: number, isLast: boolean): boolean {
  const unit = text.charCodeAt(from);
  return (unit >= FIRST_KANA && unit < FIRST_HAN) || (isLast && isFirstOfPairs(text, from, to));
}

/** Where the grapheme ends that starts at `from`, at most `to`. */
export function graphemeEnd(text: string, from: number, to: number): number {
  let end = from + 1;
  while (end < to && !startsGrapheme(text, end)) end += 1;
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
    if (isSign(normal, second, i, i === to)) visitor.sign(normal, second, i);
    if (second > first) {
      visitor.bigram(normal, first, i, second);
      count += 1;
    }
    first = second;
    second = i;
  }
  if (count > 0) return count;
  visitor.bigram(normal, from, to, to);
  return 1;
}

/**
 * Plain words joined by hyphens ("well-known") are not visited as a compound, because their words are enough to find
 * them.
 */
function visitCompound(normal: string, from: number, to: number, visitor: WordVisitor): void {
  if (COMPOUND_WORTH_KEEPING.test(normal.slice(from, to))) visitor.compound(normal, from, to);
}

/** Counts the words, bigrams and compounds of a text, and more that finds them. Linear in its length. */
export function countWords(text: string): CountedWords {
  const counted: Omit<CountedWords, 'length'> = {
    words: new Map(),
    bigrams: new Map(),
    compounds: new Map(),
    parts: new Map(),
    joined: new Map(),
    signs: new Map(),
    symbols: new Map(),
  };
  const countIn = (counts: Map<string, number>) => (normal: string, from: number, to: number) =>
    add(counts, normal.slice(from, to));
  const length = visitWords(normalizeCased(text), {
    word: countIn(counted.words),
    bigram: countIn(counted.bigrams),
    compound: countIn(counted.compounds),
    omitted: () => undefined,
    part: countIn(counted.parts),
    joined: (term) => add(counted.joined, term),
    sign: countIn(counted.signs),
    symbol: countIn(counted.symbols),
  });
  return { ...counted, length };
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
const ANY_LETTER = /\p{L}/u;
const ANY_DIGIT = /\p{Nd}/gu;
const HAS_DIGIT = /\p{Nd}/u;

/**
 * Whether a word or compound looks like a code that a person would search for exactly. A code has an underscore, at
 * least five digits, or both letters and digits (with at least four characters, and not an ordinal).
 */
export function isIdentifier(token: string): boolean {
  if (token.includes('_')) return true;
  const digits = token.match(ANY_DIGIT)?.length ?? 0;
  if (digits >= 5) return true;
  if (digits === 0 || token.length < 4 || !ANY_LETTER.test(token) || ORDINAL.test(token)) return false;
  // "20th-century" is not a code: only its ordinal has digits.
  return token.split(JOINER).some((part) => HAS_DIGIT.test(part) && !ORDINAL.test(part));
}
