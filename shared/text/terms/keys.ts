/**
 * The keys by which candidates are found: of a whole word, of its beginning, of pieces towards its end, and of Hebrew and
 * Arabic words of their first three letters. A key is hashed with the id of the Team, so that a search never reads the
 * postings of another Team. All words are folded (`foldWord`).
 */

import { finishHash, hashState } from '../hash.ts';
import { graphemeEnd, isFirstOfPairs } from './words.ts';

/** The length of beginnings. A word that is not longer has no key but its own. */
export const BEGINNING_LENGTH = 4;
/** Words that are shorter have no pieces: their beginning and the whole word are enough. Longer ones are no words. */
const LEAST_WITH_PIECES = 9;
const MOST_WITH_PIECES = 64;
export const PIECE_LENGTH = 5;
/** Pieces end at the end of a word, and at every third letter before it, as long as this many letters precede them. */
const PIECE_STEP = 3;
const LETTERS_BEFORE_PIECE = 3;
/** The root of most Hebrew and Arabic words has three letters. */
export const ROOT_LENGTH = 3;

/** The state of hashes of a Team. */
export function teamState(teamId: string): number {
  return hashState(':', hashState(teamId));
}

/** The key of a term, or of a part of a text that is one. */
export function exactKey(team: number, text: string, from = 0, to = text.length): number {
  return finishHash(hashState(text, team, from, to));
}

/** A key of a part of a text, of a kind. The kind is a character that stands in no exact term. */
function keyOfKind(team: number, kind: string, text: string, from: number, to: number): number {
  return finishHash(hashState(kind, hashState(text, team, from, to)));
}

/** The key of a whole word. A code must not find longer codes, so that of a short word is not that of a beginning. */
export function wordKey(team: number, text: string, from = 0, to = text.length): number {
  const isShort = to - from <= BEGINNING_LENGTH;
  return isShort ? keyOfKind(team, '*', text, from, to) : exactKey(team, text, from, to);
}

/** The key of the beginning of a word of five letters or more. */
export function beginningKey(team: number, text: string, from = 0, to = text.length): number {
  return keyOfKind(team, '<', text, from, Math.min(from + BEGINNING_LENGTH, to));
}

/** The key of a piece of five letters. */
export function pieceKey(team: number, text: string, from = 0, to = text.length): number {
  return keyOfKind(team, '>', text, from, to);
}

/** The key of the first three letters of a Hebrew or Arabic word, with or without what is joined before it. */
export function rootKey(team: number, text: string, from = 0): number {
  return keyOfKind(team, '^', text, from, from + ROOT_LENGTH);
}

const HEBREW_OR_ARABIC = /^[\p{sc=Hebrew}\p{sc=Arabic}]/u;
const FIRST_HEBREW_OR_ARABIC = 0x0590;
const HAS_DIGIT = /\p{N}/u;

const YES = 1;
const NO = 2;
/** For each code unit whether it is Hebrew or Arabic; 0 is unknown. */
const knownSemitic = new Uint8Array(2 ** 16);

/**
 * Whether the word that starts there is Hebrew or Arabic, in which other words are joined before and after the root. Arabic
 * characters of other planes are old numerals and signs of mathematics, which have no root.
 */
export function isSemitic(text: string, from = 0): boolean {
  const unit = text.charCodeAt(from);
  if (!(unit >= FIRST_HEBREW_OR_ARABIC)) return false;
  if (knownSemitic[unit] === 0)
    knownSemitic[unit] = HEBREW_OR_ARABIC.test(String.fromCharCode(unit)) ? YES : NO;
  return knownSemitic[unit] === YES;
}

/** Letters of articles, prepositions and conjunctions that are joined before a Hebrew word, and how many at most. */
const HEBREW_BEFORE = 'והבכלמש';
const MOST_HEBREW_BEFORE = 6;
/** The same for Arabic words: conjunctions, prepositions, the article, and the article after one of them. */
const ARABIC_CONJUNCTIONS = 'وف';
const ARABIC_PREPOSITIONS = 'بك';
const ARABIC_ARTICLE = 'ال';
const ARABIC_TO_THE = 'لل';
const ARABIC_BEFORE = 'وفبلك';

/**
 * Where a Hebrew or Arabic word starts without what is joined before it. At least three letters are left; which letters are
 * joined cannot be known without a dictionary.
 */
export function rootStart(word: string): number {
  return Math.max(0, Math.min(hebrewBefore(word) || arabicBefore(word), word.length - ROOT_LENGTH));
}

function hebrewBefore(word: string): number {
  let count = 0;
  while (count < Math.min(MOST_HEBREW_BEFORE, word.length) && HEBREW_BEFORE.includes(word.charAt(count)))
    count++;
  return count;
}

function arabicBefore(word: string): number {
  const isAt = (letters: string, at: number) => at < word.length && letters.includes(word.charAt(at));
  const conjunction = isAt(ARABIC_CONJUNCTIONS, 0) ? 1 : 0;
  const preposition = conjunction + (isAt(ARABIC_PREPOSITIONS, conjunction) ? 1 : 0);
  if (word.startsWith(ARABIC_ARTICLE, preposition)) return preposition + ARABIC_ARTICLE.length;
  if (word.startsWith(ARABIC_TO_THE, conjunction)) return conjunction + ARABIC_TO_THE.length;
  return isAt(ARABIC_BEFORE, 0) ? 1 : 0;
}

/** What follows a grapheme in a bigram is one of so many kinds, by its hash. */
const PAIR_KINDS = 128;

/**
 * The key of a bigram, which is a part of a text. If its first grapheme is to be found by it, the key is made of this
 * grapheme and the kind of the rest, and a query can ask for all bigrams that begin with the grapheme.
 * @param rest where its second grapheme starts
 */
export function pairKey(
  team: number,
  text: string,
  from = 0,
  to = text.length,
  rest = graphemeEnd(text, from, to),
): number {
  if (rest === to || !isFirstOfPairs(text, from, rest)) return exactKey(team, text, from, to);
  return pairKindKey(hashState(text, team, from, rest), kindOf(finishHash(hashState(text, team, rest, to))));
}

const kindOf = (hash: number) => hash & (PAIR_KINDS - 1);

const pairKindKey = (first: number, kind: number) => finishHash(first ^ Math.imul(kind + 1, 0x9e3779b1));

/** The key of a sign, which is a grapheme of a script without spaces. */
export function signKey(team: number, text: string, from = 0, to = text.length): number {
  return finishHash(hashState('*sign', hashState(text, team, from, to)));
}

/** All keys of the passages that contain a sign. */
export function signKeys(team: number, sign: string): number[] {
  const own = signKey(team, sign);
  if (!isFirstOfPairs(sign, 0, sign.length)) return [own];
  const first = hashState(sign, team);
  return [own, ...Array.from({ length: PAIR_KINDS }, (_, kind) => pairKindKey(first, kind))];
}

/** Receives the keys of a word. */
export type AddKey = (key: number) => void;

/** Adds the keys of a folded word, which is a part of a text. */
export function addWordKeys(team: number, text: string, from: number, to: number, add: AddKey): void {
  add(wordKey(team, text, from, to));
  const length = to - from;
  if (isSemitic(text, from)) {
    if (length <= ROOT_LENGTH) return;
    const word = text.slice(from, to);
    add(rootKey(team, word));
    const root = rootStart(word);
    if (root > 0) add(rootKey(team, word, root));
    return;
  }
  if (length <= BEGINNING_LENGTH) return;
  add(beginningKey(team, text, from, to));
  if (length < LEAST_WITH_PIECES || length > MOST_WITH_PIECES || HAS_DIGIT.test(text.slice(from, to))) return;
  const first = from + LETTERS_BEFORE_PIECE;
  for (let start = to - PIECE_LENGTH; start >= first; start -= PIECE_STEP) {
    add(pieceKey(team, text, start, start + PIECE_LENGTH));
  }
}

/** Adds the keys of a folded word that stands in a text only as a part, or with other letters between. */
export function addPartKeys(team: number, word: string, add: AddKey): void {
  add(wordKey(team, word));
  if (word.length > BEGINNING_LENGTH && !isSemitic(word)) add(beginningKey(team, word));
}
