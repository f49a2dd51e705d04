import { UNSPACED } from './lines.ts';

/* Lines to paragraphs. */

/** One line of a page or of a column, in the direction of its text. */
export interface Line {
  text: string;
  /** Its start and end in the order in which it is read: for a line that runs to the left, both are negative. */
  start: number;
  end: number;
  y: number;
  size: number;
  /** The width of its first word. */
  first: number;
  /** The font of its letters; empty if it has several. */
  font: string;
  /** Whether all its letters are equally wide, as those of code and of tables that are drawn with spaces. */
  isCode: boolean;
  /** Whether its pieces stand far apart, so that it is a line by itself. */
  isParted: boolean;
}

/** The largest gap between lines of a paragraph, relative to the usual gap of the page or to the letter size. */
const GAP_TO_USUAL = 1.3;
const GAP_TO_SIZE = { few: 1.9, most: 2.6, least: 1.3 };
/** The usual gap is known only if the page has at least this many. */
const ENOUGH_GAPS = 4;
/** If the sizes of two lines differ by more than this share, one is a heading. */
const SIZE_CHANGE = 0.15;
/** A line that fills less than this share of the width was not broken because it was full. */
const LEAST_FILLED = 0.5;
/** Of so many lines, the longest is full only if it reaches the edge of the column. */
const FEW_LINES = 3;
/** The space between words, relative to the letter size. */
const WORD_SPACE = 0.25;
/** A line that is indented by more than this, relative to the letter size, begins a paragraph. */
const INDENT = 0.7;
/** If so many of its lines are sentences that end with the line, a text is a list. */
const ENOUGH_SENTENCES = 3;
const SENTENCES = 0.8;
/** How much of a paragraph's end is checked to join the next line, in UTF-16 code units: longer than any word. */
const TAIL_LENGTH = 200;
/** Lines narrower than this, in multiples of the letter size, are not running text. */
const NARROWEST = 12;

const WORD = /[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu;
/** The lookbehind matches only whole words. Without it, the search would run once from each letter of a long word. */
const BROKEN_WORD = /(?<![\p{L}\p{M}])([\p{L}\p{M}]*\p{Ll})[-‐]$/u;
const NEXT_PART = /^(\p{Ll}[\p{L}\p{M}]*)/u;
/** Lines with so many numbers, of which so many of their words are, are records. */
const FEWEST_NUMBERS = 3;
const RECORD_NUMBERS = 0.4;
const NUMBER = /^[\p{Sc}(+−–-]?\d[\d.,:/%-]*[)%\p{Sc}]?$/u;
const LIST_MARK = /^(?:[•‣▪◦●○■–—*-]|\p{L}[.)]|\d{1,3}[.)])\s/u;
const SENTENCE_END = /[.;:!?。！？؟]$/u;
const SENTENCE_START = /^[^\p{Ll}]/u;

/**
 * The words of a document, in lower case, which are used to join hyphenated words. The parts of words at the end of a
 * line and at the start of the next line are left out.
 */
export class Vocabulary {
  readonly #words = new Set<string>();

  /** Adds the words of the lines of a page, in the order in which they are read. */
  add(lines: Iterable<string>): void {
    let broken = false;
    for (const line of lines) {
      const text = line.trim();
      const begun = broken ? text.replace(NEXT_PART, '') : text;
      broken = BROKEN_WORD.test(text);
      for (const [word] of begun.replace(BROKEN_WORD, '').matchAll(WORD)) this.#words.add(word.toLowerCase());
    }
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }
}

/**
 * Joins two lines. A hyphen at the end is removed, unless the document has evidence against it: it is kept if the
 * word has a hyphen elsewhere, or if both parts are words of the document and the joined word is not.
 */
function joinLines(text: string, next: string, words: Vocabulary): string {
  if (text.endsWith('\u00ad')) return text.slice(0, -1) + next;
  const head = BROKEN_WORD.exec(text)?.[1];
  const tail = NEXT_PART.exec(next)?.[1];
  if (head !== undefined && tail !== undefined) {
    const [first, second] = [head.toLowerCase(), tail.toLowerCase()];
    const whole = words.has(first + second);
    const apart = words.has(`${first}-${second}`) || (words.has(first) && words.has(second));
    return (whole || !apart ? text.slice(0, -1) : text) + next;
  }
  const last = text.at(-1) ?? '';
  return UNSPACED.test(last) && UNSPACED.test(next.charAt(0)) ? text + next : `${text} ${next}`;
}

/** Whether two lines have the same size. */
function isLike(above: Line, line: Line): boolean {
  return Math.abs(above.size - line.size) <= SIZE_CHANGE * Math.max(above.size, line.size);
}

/** The usual gap between lines that stand below each other; null if there are too few lines. */
export function usualGap(texts: readonly (readonly Line[])[]): number | null {
  const gaps = texts
    .flatMap((lines) =>
      lines.flatMap((line, index) => {
        const above = lines[index - 1];
        return above !== undefined && isLike(above, line) ? [line.y - above.y] : [];
      }),
    )
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  return gaps.length < ENOUGH_GAPS ? null : (gaps[Math.floor(gaps.length / 2)] ?? null);
}

/** Whether a line belongs to the paragraph of the line above. */
function continues(above: Line, line: Line, usual: number | null): boolean {
  if (!isLike(above, line)) return false;
  const size = Math.max(above.size, line.size);
  const limit =
    usual === null
      ? GAP_TO_SIZE.few * size
      : Math.max(Math.min(GAP_TO_USUAL * usual, GAP_TO_SIZE.most * size), GAP_TO_SIZE.least * size);
  const gap = line.y - above.y;
  return gap >= 0 && gap <= limit;
}

function* blocksOf(lines: readonly Line[], usual: number | null): Generator<Line[]> {
  let block: Line[] = [];
  for (const line of lines) {
    const above = block.at(-1);
    if (above !== undefined && !continues(above, line, usual)) {
      yield block;
      block = [];
    }
    block.push(line);
  }
  if (block.length > 0) yield block;
}

/** A line of the result, to which other lines are joined. Only its end is checked, so that joining stays fast. */
export class RunningLine {
  #head = '';
  #tail: string;

  constructor(text: string) {
    this.#tail = text;
  }

  join(next: string, words: Vocabulary): void {
    const text = joinLines(this.#tail, next, words);
    const cut = Math.max(0, text.length - TAIL_LENGTH);
    this.#head += text.slice(0, cut);
    this.#tail = text.slice(cut);
  }

  toString(): string {
    return this.#head + this.#tail;
  }
}

/** Whether the lines of a block are sentences of their own, as in a list without marks. */
function isList(lines: readonly Line[]): boolean {
  if (lines.length < ENOUGH_SENTENCES) return false;
  const sentences = lines.filter(
    ({ text }) => SENTENCE_END.test(text.trimEnd()) && SENTENCE_START.test(text.trimStart()),
  );
  return sentences.length >= SENTENCES * lines.length;
}

/** Whether a line is that of a register or a timetable: many of its words are numbers. */
function isRecord(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const numbers = words.filter((word) => NUMBER.test(word)).length;
  return numbers >= FEWEST_NUMBERS && numbers >= RECORD_NUMBERS * words.length;
}

/** Whether a word goes on in the next line. */
const isBroken = (above: string, next: string) =>
  BROKEN_WORD.test(above.trimEnd().slice(-TAIL_LENGTH)) && NEXT_PART.test(next.trimStart());

/** Joins lines that were broken because they were full. Others, as in addresses, stay lines. */
function writeBlock(lines: readonly Line[], words: Vocabulary, edge: number): string {
  const starts = lines.map(({ start }) => start).sort((a, b) => a - b);
  const start = starts[0] ?? 0;
  const longest = lines.reduce((most, line) => Math.max(most, line.end), Number.NEGATIVE_INFINITY);
  // The longest of a few lines need not be full.
  const end = lines.length <= FEW_LINES ? Math.max(longest, edge) : longest;
  const usualStart = starts[starts.length >> 1] ?? start;
  const width = end - start;
  const isListed = isList(lines);
  const written: RunningLine[] = [];
  let above: Line | null = null;
  for (const [index, line] of lines.entries()) {
    const text = line.text.trim();
    const last = written.at(-1);
    const runsOn =
      last !== undefined &&
      above !== null &&
      !isListed &&
      !above.isParted &&
      !line.isParted &&
      !line.isCode &&
      !(isRecord(above.text) && isRecord(text)) &&
      (above.font === line.font || above.font === '' || line.font === '') &&
      !LIST_MARK.test(text) &&
      (width >= NARROWEST * line.size || isBroken(above.text, text)) &&
      above.end - start >= LEAST_FILLED * width &&
      end - above.end < line.first + WORD_SPACE * line.size &&
      !beginsParagraph(lines.slice(Math.max(0, index - 2), index), line, start, usualStart);
    if (runsOn) last.join(text, words);
    else written.push(new RunningLine(text));
    above = line;
  }
  return written.join('\n').replaceAll('\u00ad', '');
}

/** Whether a line is indented where others are not, or stands out where others are indented. */
function beginsParagraph(above: readonly Line[], line: Line, start: number, usualStart: number): boolean {
  const [before, last] = above.slice(-2).length === 2 ? above.slice(-2) : [undefined, above[0]];
  if (last === undefined) return false;
  const indent = INDENT * line.size;
  if (usualStart - start > indent)
    return line.start < usualStart - indent && last.start >= usualStart - indent;
  if (line.start - usualStart > indent) return last.start - usualStart <= indent;
  // Below indented lines of which there are several, unlike the first line of a paragraph.
  return last.start - line.start > indent && before !== undefined && before.start - line.start > indent;
}

/**
 * The text of lines that stand below each other: joined into paragraphs, with a blank line between them.
 * @param usual the usual gap between lines of the page
 * @param edge where full lines of the column end
 */
export function paragraphsOf(
  lines: readonly Line[],
  words: Vocabulary,
  usual: number | null,
  edge: number,
): string {
  return [...blocksOf(lines, usual)].map((block) => writeBlock(block, words, edge)).join('\n\n');
}
