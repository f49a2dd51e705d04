import { boundMarks } from '../../../../shared/text/bounds.ts';

/** Words, as the service divides a text. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MARK = /\p{M}/gu;
/** Scripts that do not separate words by spaces. The service searches pairs of their characters. */
const DENSE = /[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Shorter words with other endings are other words. */
const MIN_STEM = 4;

/** What is marked in the texts that a query has found. */
export interface Sought {
  words: ReadonlySet<string>;
  /** The words without their last letters. */
  stems: ReadonlySet<string>;
  /** Pairs of characters, in scripts without spaces. */
  pairs: ReadonlySet<string>;
}

/** A part of a text to be marked, with the word of the query that it is like. */
export interface Range {
  start: number;
  end: number;
  word: string;
}

/** A word without case and accents. */
const fold = (word: string) => boundMarks(word).normalize('NFKD').replace(MARK, '').toLowerCase();

const pairsOf = (run: string) => Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));

/** Whether a word says something by itself: not "of" or "is", but "VPN". */
const isTelling = (word: string) =>
  word.length >= MIN_STEM || (word.length > 1 && word === word.toUpperCase());

/** A word without its last letters. */
const stemsOf = (word: string) =>
  [1, 2, 3].map((ending) => word.slice(0, -ending)).filter(({ length }) => length >= MIN_STEM);

/** What a query looks for. */
export function soughtBy(query: string): Sought {
  const all: string[] = [];
  const telling: string[] = [];
  const pairs: string[] = [];
  for (const piece of query.split(/\s+/)) {
    // The letters of a code, such as those of hr-2210, tell something together with its digits.
    const isCode = /\p{N}/u.test(piece);
    for (const word of piece.match(WORD) ?? []) {
      if (DENSE.test(word) && word.length > 1) {
        pairs.push(...pairsOf(word));
        continue;
      }
      all.push(fold(word));
      if (isCode || isTelling(word)) telling.push(fold(word));
    }
  }
  const words = new Set(telling.length === 0 && pairs.length === 0 ? all : telling);
  return { words, stems: new Set([...words].flatMap(stemsOf)), pairs: new Set(pairs) };
}

/** The word of the query that a word of a text is like, if there is one. */
function likeWhich(word: string, { words, stems }: Sought): string | undefined {
  const folded = fold(word);
  if (words.has(folded) || stems.has(folded)) return folded;
  return stemsOf(folded).find((stem) => words.has(stem));
}

/** What is marked in a text, in order. Each word is looked up, so no text of a user becomes an expression. */
export function rangesOf(text: string, sought: Sought): Range[] {
  const found: Range[] = [];
  const add = (range: Range) => {
    const last = found.at(-1);
    // The parts of a code, and overlapping pairs, are one mark.
    if (last !== undefined && /^\S?$/.test(text.slice(last.end, range.start))) last.end = range.end;
    else found.push(range);
  };
  for (const { 0: run, index } of text.matchAll(WORD)) {
    if (sought.pairs.size > 0 && DENSE.test(run)) {
      pairsOf(run).forEach((pair, i) => {
        if (sought.pairs.has(pair)) add({ start: index + i, end: index + i + 2, word: pair });
      });
      continue;
    }
    const word = likeWhich(run, sought);
    if (word !== undefined) add({ start: index, end: index + run.length, word });
  }
  return found;
}

/** How much of a passage fills three lines. */
export const EXCERPT = 280;
/** How much of it precedes the first mark. */
export const LEAD = 40;

/** The part of a passage that has most words of the query, from the end of a word on. Where it is shown, its end is cut. */
export function excerptOf(text: string, sought: Sought): { start: number; end: number } {
  if (text.length <= EXCERPT) return { start: 0, end: text.length };
  const best = richestPlace(rangesOf(text, sought), EXCERPT - LEAD);
  const from = Math.min(Math.max(0, best - LEAD), text.length - EXCERPT);
  const start = from === 0 ? 0 : from + text.slice(from, from + LEAD).search(/\s/) + 1;
  return { start, end: start + 2 * EXCERPT };
}

/** The start of the range that has most words within a length after it. */
function richestPlace(ranges: readonly Range[], length: number): number {
  let [best, most] = [0, 0];
  for (const [index, { start }] of ranges.entries()) {
    // No more than that many ranges are within the length.
    const within = ranges.slice(index, index + length).filter(({ end }) => end <= start + length);
    const words = new Set(within.map(({ word }) => word));
    if (words.size > most) [best, most] = [start, words.size];
  }
  return best;
}

/** The heading of a passage, if there is a text below it. */
export const HEADING = /^\s*#{1,6} .+\n\s*(?=\S)/;

/** The words of a text on one line, without the signs of Markdown. */
export const plain = (text: string) =>
  text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/^ ?#{1,6} .+(?=\n\s*\S)/gm, '$& —')
    .replaceAll(/^ ?(?:#{1,6} |[-*+>] |[|:\- ]+$)/gm, '')
    .replaceAll(/^ ?\| ?| ?\| ?$/gm, '')
    .replaceAll(/(?<!\w)\*+(?=\S)|(?<=\S)\*+(?!\w)|`|\\(?=[^\s\w])/g, '')
    .replaceAll(/ ?\| ?/g, ' · ')
    .replaceAll(/\s+/g, ' ')
    .trim();
