import { html } from '../../html.js';

/** Words, as the service divides a text. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const MARK = /\p{M}/gu;
/** Scripts that do not separate words by spaces. The service searches pairs of their characters. */
const DENSE = /[\p{sc=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Shorter words with other endings are other words. */
const MIN_STEM = 4;
/** How many letters an ending can have. */
const MAX_ENDING = 3;

/**
 * What is marked in the texts that a query has found.
 * @typedef {object} Sought
 * @property {ReadonlySet<string>} words
 * @property {ReadonlySet<string>} stems the words without their last letters
 * @property {ReadonlySet<string>} pairs of characters, in scripts without spaces
 *
 * A part of a text to be marked, with the word of the query that it is like.
 * @typedef {{ start: number, end: number, word: string }} Range
 */

/** Marks after the first 64 of a character. Real text has fewer, and normalization sorts them in quadratic time. */
const MARKS_BEYOND = /(\p{M}{64})\p{M}+/gu;

/**
 * A word without case and accents.
 * @param {string} word
 */
const fold = (word) => word.replace(MARKS_BEYOND, '$1').normalize('NFKD').replace(MARK, '').toLowerCase();

/** @param {string} run */
const pairsOf = (run) => Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));

/**
 * Whether a word says something by itself: not "of" or "is", but "VPN" and what has a digit.
 * @param {string} word
 */
const isTelling = (word) =>
  word.length >= MIN_STEM || /\p{N}/u.test(word) || (word.length > 1 && word === word.toUpperCase());

/**
 * @param {string} query
 * @returns {Sought}
 */
export function soughtBy(query) {
  /** @type {string[]} */
  const all = [];
  /** @type {string[]} */
  const telling = [];
  /** @type {string[]} */
  const pairs = [];
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
  const stems = [...words].flatMap((word) =>
    endings(word.length).map((ending) => word.slice(0, word.length - ending)),
  );
  return { words, stems: new Set(stems), pairs: new Set(pairs) };
}

/**
 * How many letters a word of this length can lose.
 * @param {number} length
 */
const endings = (length) => [1, 2, 3].filter((n) => n <= MAX_ENDING && length - n >= MIN_STEM);

/**
 * The word of the query that a word of a text is like, or null.
 * @param {string} word
 * @param {Sought} sought
 */
function likeWhich(word, { words, stems }) {
  const folded = fold(word);
  if (words.has(folded) || stems.has(folded)) return folded;
  for (const ending of endings(folded.length)) {
    const stem = folded.slice(0, folded.length - ending);
    if (words.has(stem)) return stem;
  }
  return null;
}

/**
 * What is marked in a text, in order. Each word is looked up, so no text of a user becomes an expression.
 * @param {string} text
 * @param {Sought} sought
 * @returns {Range[]}
 */
export function rangesOf(text, sought) {
  /** @type {Range[]} */
  const found = [];
  /** @param {Range} range */
  const add = (range) => {
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
    if (word !== null) add({ start: index, end: index + run.length, word });
  }
  return found;
}

/** How much of a long passage is shown at first. */
const EXCERPT = 600;
/** How much of it precedes the first mark. */
const LEAD = 120;

/**
 * The part of a passage that has most words of the query.
 * @param {string} text
 * @param {Sought} sought
 * @returns {{ start: number, end: number }}
 */
export function excerptOf(text, sought) {
  if (text.length <= EXCERPT * 1.4) return { start: 0, end: text.length };
  const best = richestPlace(rangesOf(text, sought), EXCERPT - LEAD);
  const from = Math.min(Math.max(0, best - LEAD), text.length - EXCERPT);
  const start = from === 0 ? 0 : nextBreak(text, from);
  const end = start + EXCERPT >= text.length ? text.length : lastBreak(text, start + EXCERPT);
  return { start, end };
}

/**
 * The start of the range that has most words within a length after it. Each range is counted and removed once.
 * @param {readonly Range[]} ranges in order
 * @param {number} length
 */
function richestPlace(ranges, length) {
  /** @type {Map<string, number>} */
  const within = new Map();
  let [best, most, next] = [0, 0, 0];
  for (const [index, { start, word }] of ranges.entries()) {
    for (let range = ranges[next]; range !== undefined && range.end <= start + length; range = ranges[next]) {
      within.set(range.word, (within.get(range.word) ?? 0) + 1);
      next += 1;
    }
    if (within.size > most) [best, most] = [start, within.size];
    // A range that is longer than the length was not counted.
    if (next === index) next += 1;
    else if (within.get(word) === 1) within.delete(word);
    else within.set(word, (within.get(word) ?? 0) - 1);
  }
  return best;
}

/** A cut moves by at most this much to the end of a word. */
const WORD_LENGTH = 40;

/**
 * @param {string} text
 * @param {number} at
 */
export function nextBreak(text, at) {
  const space = text.slice(at, at + WORD_LENGTH).search(/\s/);
  return space >= 0 ? at + space + 1 : whole(text, at);
}

/**
 * @param {string} text
 * @param {number} at
 */
export function lastBreak(text, at) {
  const before = text.slice(at - WORD_LENGTH, at);
  const space = before.trimEnd().search(/\s\S*$/);
  return space >= 0 ? at - before.length + space : whole(text, at);
}

/**
 * Not in the middle of a character.
 * @param {string} text
 * @param {number} at
 */
const whole = (text, at) => (/^[\udc00-\udfff]/.test(text.slice(at)) ? at + 1 : at);

/**
 * A text with the words of the query marked.
 * @param {object} props
 * @param {string} props.text
 * @param {Sought} props.sought
 */
export function Marked({ text, sought }) {
  const parts = [];
  let at = 0;
  for (const { start, end } of rangesOf(text, sought)) {
    parts.push(text.slice(at, start), html`<mark>${text.slice(start, end)}</mark>`);
    at = end;
  }
  return html`${parts}${text.slice(at)}`;
}
