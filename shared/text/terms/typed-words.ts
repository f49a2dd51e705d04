/** The words of a query as a person reads them, with the keys by which the index tells whether they exist. */

import { boundMarks } from '../bounds.ts';
import { foldWord, type NormalText, normalizeCased, normalizeText } from './fold.ts';
import { exactKey, pairKey, signKeys, teamState, wordKey } from './keys.ts';
import { isIdentifier, visitWords } from './words.ts';

/** A word or a code of a query. */
export interface TypedWord {
  /** As it was typed. */
  word: string;
  /** Where it begins in the word that it is a part of. */
  start: number;
  /** Normalized, to tell equal words. */
  normal: string;
  /** Whether it looks like a code, which exists only as a whole. */
  isCode: boolean;
  /**
   * The keys of the whole word; it exists if a chunk has one of them. Empty for a run of characters in a script without
   * spaces: only its pairs have keys.
   */
  keys: readonly number[];
  /** What it is made of: words that are joined by punctuation, or pairs of characters. Empty for a single word. */
  parts: readonly TypedWord[];
}

/** What joins words to one. */
const JOINS = "-_./:@#+'’";
const DIGITS = '0123456789';
/** The digits after a separator of thousands. */
const THOUSANDS = 3;

/** A part of the normalized query. */
interface Place {
  from: number;
  to: number;
}

/** A word or a symbol, or a run of pairs of characters. */
interface Run extends Place {
  /** The pairs of a run in a script without spaces; null for a word. */
  pairs: Place[] | null;
}

/**
 * The words of a query, each once, in its order. Words that are joined by punctuation are one word, and so is a run of
 * characters in a script without spaces.
 */
export function typedWords(teamId: string, query: string): TypedWord[] {
  const team = teamState(teamId);
  const text = normalizeCased(query);
  const { normal } = text;
  const typed = typedText(query, normal);
  const found = new Map<string, TypedWord>();
  for (const runs of joinedRuns(text)) {
    const word = toWord(runs);
    if (!found.has(word.normal)) found.set(word.normal, word);
  }
  return [...found.values()];

  function toWord(runs: readonly Run[]): TypedWord {
    const [first, ...others] = runs as [Run, ...Run[]];
    const { from, pairs } = first;
    const whole = textAt({ from, to: runs.at(-1)!.to }, from);
    if (pairs?.length === 1) return { ...whole, keys: keysOfPair(whole.normal), parts: [] };
    if (pairs !== null) {
      return {
        ...whole,
        keys: [],
        parts: pairs.map((pair) => {
          const part = textAt(pair, from);
          return { ...part, keys: keysOfPair(part.normal), parts: [] };
        }),
      };
    }
    if (others.length === 0) return single(first, from);
    const joined = runs.map((run) => normal.slice(run.from, run.to)).join('');
    return {
      ...whole,
      keys: [exactKey(team, whole.normal), wordKey(team, foldWord(joined))],
      parts: runs.map((run) => single(run, from)),
    };
  }
  /** @param start where the word begins that it is a part of */
  function single(place: Place, start: number): TypedWord {
    const word = textAt(place, start);
    // The second is that of a symbol.
    return {
      ...word,
      keys: [wordKey(team, foldWord(word.normal)), exactKey(team, word.normal)],
      parts: [],
    };
  }
  /** A single sign has the keys of all pairs that contain it. */
  function keysOfPair(pair: string): number[] {
    return [...signKeys(team, pair), pairKey(team, pair)];
  }
  function textAt({ from, to }: Place, start: number) {
    const part = normal.slice(from, to);
    return {
      word: typed(from, to),
      start: typed(start, from).length,
      normal: part,
      isCode: isIdentifier(part),
    };
  }
}

/** The keys that tell which of these words exist. */
export function keysOf(words: readonly TypedWord[]): number[] {
  return [...new Set(words.flatMap(({ keys, parts }) => [...keys, ...parts.flatMap((part) => part.keys)]))];
}

/**
 * Returns the words that do not exist, as they were typed. Of a word with parts, those parts that do not exist, and the whole
 * word if none does.
 * @param known those of `keysOf` that the index has
 */
export function unknownWords(words: readonly TypedWord[], known: ReadonlySet<number>): string[] {
  const isUnknown = ({ keys }: TypedWord) => !keys.some((key) => known.has(key));
  const unknown = words.flatMap((word) => {
    const { parts } = word;
    if (!isUnknown(word)) return [];
    if (word.isCode || parts.every(isUnknown)) return [word.word];
    if (word.keys.length === 0) return unknownStretches(word, parts.map(isUnknown));
    return parts.filter(isUnknown).map((part) => part.word);
  });
  return [...new Set(unknown)];
}

/**
 * Returns the stretches of a run of characters that exist nowhere: at least two characters that no known pair contains. Where
 * one word ends and the next begins, a pair is no word, so a single unknown pair says nothing.
 * @param isMissing for each pair of the run
 */
function unknownStretches({ word, parts }: TypedWord, isMissing: readonly boolean[]): string[] {
  const stretches: string[] = [];
  for (let first = 0; first < parts.length; first++) {
    if (!isMissing[first]) continue;
    let last = first;
    while (isMissing[last + 1]) last += 1;
    // The outer characters are also in the known pairs before and after.
    const begins = first === 0 ? 0 : parts[first + 1]?.start;
    const before = parts[last - 1];
    const ends = last === parts.length - 1 ? word.length : before && before.start + before.word.length;
    const pairs = last - first + 1 - (first === 0 ? 0 : 1) - (last === parts.length - 1 ? 0 : 1);
    if (pairs > 0 && begins !== undefined && ends !== undefined) stretches.push(word.slice(begins, ends));
    first = last;
  }
  return stretches;
}

/** The words and runs of a normalized text, in order, those that are joined together. */
function joinedRuns(text: NormalText): Run[][] {
  const { normal } = text;
  const all: Run[][] = [];
  let last: Run | undefined;
  const add = (run: Run) => {
    if (last !== undefined && isJoined(normal, last, run)) all.at(-1)!.push(run);
    else all.push([run]);
    last = run;
  };
  const addWord = (_: string, from: number, to: number) => add({ from, to, pairs: null });
  const ignore = () => undefined;
  visitWords(text, {
    word: addWord,
    symbol: addWord,
    bigram: (_, from, to) => {
      // Pairs of one run overlap.
      if (last?.pairs && from < last.to) {
        last.pairs.push({ from, to });
        last.to = to;
      } else add({ from, to, pairs: [{ from, to }] });
    },
    compound: ignore,
    omitted: ignore,
    part: ignore,
    joined: ignore,
    sign: ignore,
  });
  return all;
}

/** Whether a character joins two words: a joiner, or a comma before three digits. */
function isJoined(normal: string, last: Run, next: Run): boolean {
  if (last.pairs !== null || next.pairs !== null || next.from !== last.to + 1) return false;
  const between = normal.charAt(last.to);
  if (between !== ',') return JOINS.includes(between);
  const digits = normal.slice(next.from, next.to);
  return (
    digits.length === THOUSANDS &&
    Array.from(digits + normal.charAt(last.to - 1)).every((d) => DIGITS.includes(d))
  );
}

/**
 * Returns a function that finds what was typed for a part of the normalized query. Normalization can make one character of
 * several and several of one. If it cannot be told which, the part itself is returned.
 */
function typedText(query: string, normal: string): (from: number, to: number) => string {
  const characters = Array.from(boundMarks(query).normalize('NFC'));
  /** For each code unit of `normal`, the character that it was made of. */
  const origins = characters.flatMap((character, index) =>
    Array.from({ length: normalizeText(character).length }, () => index),
  );
  if (origins.length !== normal.length) return (from, to) => normal.slice(from, to);
  return (from, to) => characters.slice(origins[from], origins[to - 1]! + 1).join('');
}
