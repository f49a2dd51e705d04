import bidiModule from 'bidi-js';
import { firstIndex, middleOf } from './boxes.ts';
import type { Rule, Sheet, Word } from './words.ts';

/* Words to pieces of lines: which words stand side by side, and the text that they make. */

/** Words that stand beside each other in one line, without a wide gap. */
export interface Segment {
  words: Word[];
  /** Its words from left to right, to be looked at: letters that run to the left are not turned. */
  plain: string;
  left: number;
  right: number;
  /** The baseline, and the top and bottom of its letters; all grow downwards. */
  y: number;
  top: number;
  bottom: number;
  size: number;
}

/** Its types say that the function is a member of the module; Node gives the function itself. */
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

/** Words whose baselines differ by less than this, relative to the size, are in one line. */
const SAME_LINE = 0.25;
/** Pieces whose baselines differ by less than this, relative to the size, are in one line. */
const ONE_LINE = 0.4;
/** A word this much smaller than its neighbour can be raised or lowered beside it. A much smaller one stands beside a large first letter. */
const SMALLER = 0.85;
const SMALLEST = 0.45;
/** By so much it can be raised or lowered, and so far be from the word, relative to the size of that word. */
const RAISED = 0.65;
const BESIDE = 0.35;
/** A gap wider than this, relative to the size, divides a line. */
const WIDE_GAP = 0.55;
/** A gap of this width is a space, relative to the size; between letters of scripts that run to the left
 * or have no spaces, these. */
const SPACE = { between: 0.12, leftward: 0.2, unspaced: 0.5 };
/** The usual space, relative to the size; one so much wider is that of a whole page, and a wider one is no space. */
const USUAL_SPACE = 0.3;
const WIDE_SPACING = 1.6;
const ENOUGH_SPACES = 30;
const WIDEST_SPACE = 1.5;
/** From so many single letters on, their distances say what a space is. */
const ENOUGH_LETTERS = 4;
/** Where letters stand at even distances, a distance this much wider has a space in it. */
const SPACED_PITCH = { latin: 1.4, any: 1.6 };
/** The extent of a line's letters above and below its baseline, relative to their size. */
const ASCENT = 0.72;
const DESCENT = 0.12;
/** So many rules between two words are looked at. */
const MOST_RULES = 50;
/** A bullet is so close to its line, relative to the size. */
const BULLET_GAP = 2.5;
/** The height of the rows in which lines are looked for, in units of the page. */
const BULLET_ROW = 16;
/** A word that covers so much of a word of another line's text repeats it. */
const REPEATS = 0.7;

/** Scripts without spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uff60]/u;

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const LETTER = /\p{L}/gu;

/** Whether most letters of a text are of a script that is written from right to left. */
export function runsLeft(text: string): boolean {
  const count = text.match(RIGHT_TO_LEFT)?.length ?? 0;
  return count > 0 && count * 2 > (text.match(LETTER)?.length ?? 0);
}

interface Row {
  y: number;
  size: number;
  words: Word[];
}

/** Collects words by their baselines. */
function baselineRows(words: readonly Word[]): Row[] {
  const rows: Row[] = [];
  for (const word of [...words].sort((a, b) => a.y - b.y)) {
    const row = rows.at(-1);
    if (row !== undefined && word.y - row.y <= SAME_LINE * Math.min(word.size, row.size)) {
      row.words.push(word);
      row.size = Math.max(row.size, word.size);
    } else rows.push({ y: word.y, size: word.size, words: [word] });
  }
  for (const row of rows) row.words.sort((a, b) => a.left - b.left || a.right - b.right);
  return rows;
}

/** Whether a larger word of this row is right beside the word. */
function isBeside(word: Word, row: Row): boolean {
  const index = firstIndex(row.words, ({ left }) => left >= word.left);
  return [row.words[index - 1], row.words[index]].some((other) => {
    if (other === undefined || word.size > SMALLER * other.size || word.size < SMALLEST * other.size)
      return false;
    const gap = Math.max(word.left - other.right, other.left - word.right);
    return (
      gap <= BESIDE * other.size && gap >= -other.size && Math.abs(word.y - other.y) <= RAISED * other.size
    );
  });
}

/** Moves raised and lowered words into the lines beside which they stand. */
function joinRaised(rows: readonly Row[]): Row[] {
  const moved = new Map<Row, Word[]>();
  const kept = rows.map((row, index) => ({
    ...row,
    from: row,
    words: row.words.filter((word) => {
      for (const step of [1, -1, 2, -2]) {
        const other = rows[index + step];
        if (other === undefined || Math.abs(other.y - word.y) > RAISED * other.size) continue;
        if (other.size * SMALLER < word.size || !isBeside(word, other)) continue;
        const there = moved.get(other);
        if (there === undefined) moved.set(other, [word]);
        else there.push(word);
        return false;
      }
      return true;
    }),
  }));
  return kept
    .map(({ from, ...row }) => {
      const more = moved.get(from);
      if (more === undefined) return row;
      const words = [...row.words, ...more].sort((a, b) => a.left - b.left || a.right - b.right);
      return { ...row, words };
    })
    .filter(({ words }) => words.length > 0);
}

/** Leaves out words of a line that repeat what another word at their place says: text that was drawn in two ways. */
function withoutRepeats(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  for (const word of words) {
    const last = kept.at(-1);
    const narrower = last === undefined ? 0 : Math.min(word.right - word.left, last.right - last.left);
    if (last === undefined || word.left >= last.right - (1 - REPEATS) * narrower) {
      kept.push(word);
      continue;
    }
    const shared = Math.min(word.right, last.right) - word.left;
    if (shared >= REPEATS * (word.right - word.left) && last.text.includes(word.text)) continue;
    if (shared >= REPEATS * (last.right - last.left) && word.text.includes(last.text)) kept.pop();
    kept.push(word);
  }
  return kept;
}

/** Whether a vertical rule divides two words of a line. `rules` are ordered by their place. */
function isDivided(rules: readonly Rule[], left: Word, right: Word): boolean {
  const from = left.right - 0.2 * left.size;
  const first = firstIndex(rules, ({ at }) => at >= from);
  for (let index = first; index < rules.length && index < first + MOST_RULES; index += 1) {
    const rule = rules[index];
    if (rule === undefined || rule.at > right.left + 0.2 * right.size) return false;
    const middle = left.y - 0.3 * left.size;
    if (rule.from <= middle && rule.to >= middle) return true;
  }
  return false;
}

/** The most common size of the letters of some words. */
function sizeOf(words: readonly Word[]): number {
  let [size, most] = [0, 0];
  for (const word of words) {
    const length = word.right - word.left;
    if (length > most || (length === most && word.size > size)) [size, most] = [word.size, length];
  }
  return size;
}

export function segmentOf(words: Word[]): Segment {
  const size = sizeOf(words);
  const main = words.find((word) => word.size === size);
  const y = main?.y ?? words[0]?.y ?? 0;
  return {
    words,
    plain: words.length === 1 ? (words[0]?.text ?? '') : words.map(({ text }) => text).join(' '),
    left: words.reduce((least, word) => Math.min(least, word.left), Number.POSITIVE_INFINITY),
    right: words.reduce((most, word) => Math.max(most, word.right), Number.NEGATIVE_INFINITY),
    y,
    top: y - ASCENT * size,
    bottom: y + DESCENT * size,
    size,
  };
}

/** Puts a bullet before each piece that begins beside a round shape. */
function addBullets(segments: readonly Segment[], dots: Sheet['dots']): void {
  if (dots.length === 0) return;
  const rows = Map.groupBy(segments, ({ y }) => Math.floor(y / BULLET_ROW));
  for (const { x, y } of dots) {
    const row = Math.floor(y / BULLET_ROW);
    const beside = [row, row + 1]
      .flatMap((each) => rows.get(each) ?? [])
      .find((segment) => {
        const [gap, height] = [segment.left - x, segment.y - y];
        return gap > 0 && gap < BULLET_GAP * segment.size && height > 0 && height < ASCENT * segment.size;
      });
    const [first] = beside?.words ?? [];
    if (beside === undefined || first === undefined) continue;
    const { font, size } = first;
    first.spaced = true;
    beside.words.unshift({
      text: '•',
      letters: null,
      left: x,
      right: x,
      y: first.y,
      size,
      font,
      spaced: false,
    });
    beside.left = x;
  }
}

/**
 * How much wider than usual the spaces of a page are: in letters that were recognized in a picture, the space of a word is
 * not that of its font. At least 1.
 */
function spacingOf(rows: readonly Row[]): number {
  const gaps = rows.flatMap(({ words }) =>
    words.slice(1).flatMap((word, index) => {
      const gap = (word.left - (words[index]?.right ?? word.left)) / (word.size || 1);
      return gap >= SPACE.between && gap <= WIDEST_SPACE ? [gap] : [];
    }),
  );
  if (gaps.length < ENOUGH_SPACES) return 1;
  // The narrower ones are spaces, even on a page of tables.
  const spacing = (gaps.sort((a, b) => a - b)[gaps.length >> 2] ?? 0) / USUAL_SPACE;
  return spacing > WIDE_SPACING ? spacing : 1;
}

/**
 * The pieces of the lines of a sheet, from top to bottom and from left to right.
 * @returns with `spacing`: how much wider than usual the spaces are
 */
export function segmentsOf({ words, verticalRules, dots }: Sheet): { segments: Segment[]; spacing: number } {
  const rules = [...verticalRules].sort((a, b) => a.at - b.at);
  const segments: Segment[] = [];
  const rows = joinRaised(baselineRows(words));
  const spacing = spacingOf(rows);
  for (const row of rows) {
    let segment: Word[] = [];
    let end = Number.NEGATIVE_INFINITY;
    for (const word of withoutRepeats(row.words)) {
      const last = segment.at(-1);
      const isWide = word.left - end > WIDE_GAP * spacing * Math.max(word.size, last?.size ?? 0);
      if (last !== undefined && (isWide || isDivided(rules, last, word))) {
        segments.push(segmentOf(segment));
        segment = [];
        end = Number.NEGATIVE_INFINITY;
      }
      segment.push(word);
      end = Math.max(end, word.right);
    }
    if (segment.length > 0) segments.push(segmentOf(segment));
  }
  addBullets(segments, dots);
  return { segments, spacing };
}

/** Pieces of one line each, from top to bottom and from left to right. */
export function linesOf(segments: readonly Segment[]): Segment[][] {
  const lines: Segment[][] = [];
  for (const segment of [...segments].sort((a, b) => a.y - b.y)) {
    const line = lines.at(-1);
    const [first] = line ?? [];
    if (
      line !== undefined &&
      first !== undefined &&
      segment.y - first.y <= ONE_LINE * Math.min(first.size, segment.size)
    )
      line.push(segment);
    else lines.push([segment]);
  }
  return lines.map((line) => line.sort((a, b) => a.left - b.left));
}

const LATIN = /\p{Script=Latin}/u;
const isSingle = ({ text }: Word) => text.length === 1 || [...text].length === 1;

/** For words of one letter each, the distance from start to start or from end to start that a space adds. */
function isSpaceInRun(run: readonly Word[]): (left: Word, right: Word) => boolean {
  const pairs = run.slice(1).map((right, index) => ({ left: run[index] ?? right, right }));
  const pitches = pairs.map(({ left, right }) => right.left - left.left);
  const pitch = middleOf(pitches);
  const spaced = run.every(({ text }) => LATIN.test(text)) ? SPACED_PITCH.latin : SPACED_PITCH.any;
  const even = pitches.filter((each) => Math.abs(each - pitch) <= 0.06 * pitch || each >= spaced * pitch);
  if (even.length >= 0.8 * pitches.length) return (left, right) => right.left - left.left >= spaced * pitch;
  const gap = middleOf(pairs.map(({ left, right }) => right.left - left.right));
  return (left, right) => right.left - left.right > Math.max(0, gap) + SPACE.between * right.size;
}

const STARTS_WITH_MARK = /^\p{M}/u;
const isDrawnSpace = (left: Word, right: Word) =>
  right.spaced && right.left - left.right > 0.02 * Math.max(left.size, right.size);

/** Whether there is a space between two words that stand beside each other. */
function isSpace(left: Word, right: Word): boolean {
  const gap = right.left - left.right;
  if (isDrawnSpace(left, right)) return true;
  if (UNSPACED.test(left.text.at(-1) ?? '') && UNSPACED.test(right.text.charAt(0)))
    return gap > SPACE.unspaced * Math.max(left.size, right.size);
  if (STARTS_WITH_MARK.test(right.text)) return false;
  const width = left.letters !== null && right.letters !== null ? SPACE.leftward : SPACE.between;
  return gap > width * Math.min(left.size, right.size);
}

/** For each word, whether a space stands before it. */
function spacesBefore(words: readonly Word[]): boolean[] {
  const spaces = words.map((word, index) => {
    const left = words[index - 1];
    return left !== undefined && isSpace(left, word);
  });
  if (!words.some(isSingle)) return spaces;
  for (let from = 0; from < words.length; ) {
    let to = from;
    while (to < words.length && isSingle(words[to] as Word)) to += 1;
    if (to - from >= ENOUGH_LETTERS) {
      const run = words.slice(from, to);
      if (!run.every(({ text }) => UNSPACED.test(text))) {
        const isSpaceHere = isSpaceInRun(run);
        run.slice(1).forEach((right, index) => {
          const left = run[index] as Word;
          spaces[from + index + 1] = isDrawnSpace(left, right) || isSpaceHere(left, right);
        });
      }
    }
    from = to + 1;
  }
  return spaces;
}

/** Letters of which those of each match are one. */
function withoutParts(letters: readonly string[], pattern: RegExp): string[] {
  const text = letters.map((letter) => letter.charAt(0)).join('');
  const result: string[] = [];
  let from = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    for (const letter of letters.slice(from, index)) result.push(letter);
    result.push(letters.slice(index, index + match.length).join(''));
    from = index + match.length;
  }
  return [...result, ...letters.slice(from)];
}

/** Longer lines are not turned. */
const MOST_LETTERS = 20_000;

/** A telephone number keeps its order: in a text from right to left, its groups would be turned. */
const TELEPHONE = /\+\d[\d ()/-]{4,}\d/g;

/** Puts letters that stand from left to right into the order in which they are read. */
function inReadingOrder(visual: readonly string[], leftward: boolean): string {
  // No line has so many letters: the file is a hostile one.
  if (visual.length > MOST_LETTERS) return visual.join('');
  const letters = withoutParts(visual, TELEPHONE);
  const shown = letters.map((letter) => (letter.length === 1 ? letter : letter.charAt(0))).join('');
  const levels = bidi.getEmbeddingLevels(shown, leftward ? 'rtl' : 'ltr');
  const inOrder = [...letters.keys()];
  for (const [start = 0, end = 0] of bidi.getReorderSegments(shown, levels)) {
    for (let [low, high] = [start, end]; low < high; low += 1, high -= 1)
      [inOrder[low], inOrder[high]] = [inOrder[high] ?? 0, inOrder[low] ?? 0];
  }
  // A bracket in a text to the left is drawn as its mirror image. Some programs state the bracket, others its image.
  const stated = inOrder.map((index) => letters[index] ?? '').join('');
  const mirrored = inOrder
    .map((index) => {
      const letter = letters[index] ?? '';
      return (levels.levels[index] ?? 0) % 2 === 1 ? (bidi.getMirroredCharacter(letter) ?? letter) : letter;
    })
    .join('');
  return isBalanced(stated) && !isBalanced(mirrored) ? stated : mirrored;
}

/** Whether each bracket of a text is closed. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[()]/g)) {
    open += bracket === '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** The letters of a text from left to right as they are shown; null for one that runs to the right anyway. */
export function asShown(text: string): string[] | null {
  if (text.length > MOST_LETTERS || text.match(RIGHT_TO_LEFT) === null) return null;
  return [...bidi.getReorderedString(text, bidi.getEmbeddingLevels(text))];
}

/**
 * The text of words that stand beside each other, in the order in which it is read.
 * @param leftward whether the text of the page runs to the left
 */
export function textOf(words: readonly Word[], leftward = false): string {
  const spaces = spacesBefore(words);
  if (words.every(({ letters }) => letters === null))
    return words.map(({ text }, index) => (spaces[index] === true ? ` ${text}` : text)).join('');
  const letters = words.flatMap(({ text, letters }, index) => [
    ...(spaces[index] === true ? [' '] : []),
    ...(letters ?? text),
  ]);
  return inReadingOrder(letters, leftward || !letters.some((letter) => LATIN.test(letter)));
}
