import { withoutHeadings } from '../text/markdown-text.ts';
import type { PdfLine } from './lines.ts';

/** The largest gap between lines of a paragraph, relative to the usual gap of the page or to the letter size. */
const GAP_TO_USUAL = 1.3;
const GAP_TO_SIZE = { few: 1.9, most: 2.6 };
/** The usual gap is known only if the page has at least this many. */
const ENOUGH_GAPS = 4;
/** If the sizes of two lines differ by more than this share, one is a heading. */
const SIZE_CHANGE = 0.15;
/** A line that fills at least this share of the width was broken because it was full. */
const FULL_LINE = 0.82;
/** How much of a paragraph's end is checked to join the next line, in UTF-16 code units: longer than any word. */
const TAIL_LENGTH = 200;
/** Lines narrower than this, in multiples of the letter size, are not running text. */
const NARROWEST = 15;

const WORD = /[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu;
/** The lookbehind matches only whole words. Without it, the search would run once from each letter of a long word. */
const BROKEN_WORD = /(?<![\p{L}\p{M}])([\p{L}\p{M}]*\p{Ll})[-‐]$/u;
const NEXT_PART = /^(\p{Ll}[\p{L}\p{M}]*)/u;
const LIST_MARK = /^(?:[•‣▪◦●○■–—*-]|\p{L}[.)]|\d{1,3}[.)])\s/u;
/** Scripts without spaces between words: lines are joined without a space. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uff60]/u;

/**
 * The words of a document, in lower case, which are used to join hyphenated words. The parts of words at the end of a
 * line and at the start of the next line are left out.
 */
export function wordsOf(pages: readonly (readonly PdfLine[])[]): Set<string> {
  const words = new Set<string>();
  for (const lines of pages) {
    let broken = false;
    for (const line of lines) {
      const text = line.text.trim();
      const begun = broken ? text.replace(NEXT_PART, '') : text;
      broken = BROKEN_WORD.test(text);
      for (const [word] of begun.replace(BROKEN_WORD, '').matchAll(WORD)) words.add(word.toLowerCase());
    }
  }
  return words;
}

/**
 * Joins two lines. A hyphen at the end is removed, unless the document has evidence against it: it is kept if the
 * word has a hyphen elsewhere, or if both parts are words of the document and the joined word is not.
 */
function joinLines(text: string, next: string, words: ReadonlySet<string>): string {
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

/** Whether a line has the same direction and size as the line above it. */
function isLike(above: PdfLine, line: PdfLine): boolean {
  if (above.angle !== line.angle || above.vertical !== line.vertical) return false;
  return Math.abs(above.size - line.size) <= SIZE_CHANGE * Math.max(above.size, line.size);
}

/** The usual gap between the lines of a page; null if there are too few lines. */
function usualGap(lines: readonly PdfLine[]): number | null {
  const gaps = lines
    .flatMap((line, index) => {
      const above = lines[index - 1];
      return above !== undefined && isLike(above, line) ? [above.baseline - line.baseline] : [];
    })
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  return gaps.length < ENOUGH_GAPS ? null : (gaps[Math.floor(gaps.length / 2)] ?? null);
}

/** Whether a line belongs to the paragraph of the line above. The first line of a column is higher, so it does not. */
function continues(above: PdfLine, line: PdfLine, usual: number | null): boolean {
  if (!isLike(above, line)) return false;
  const size = Math.max(above.size, line.size);
  const limit =
    usual === null ? GAP_TO_SIZE.few * size : Math.min(GAP_TO_USUAL * usual, GAP_TO_SIZE.most * size);
  const gap = above.baseline - line.baseline;
  return gap >= 0 && gap <= limit;
}

function* blocksOf(lines: readonly PdfLine[]): Generator<PdfLine[]> {
  const usual = usualGap(lines);
  let block: PdfLine[] = [];
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
class RunningLine {
  #head = '';
  #tail: string;

  constructor(text: string) {
    this.#tail = text;
  }

  join(next: string, words: ReadonlySet<string>): void {
    const text = joinLines(this.#tail, next, words);
    const cut = Math.max(0, text.length - TAIL_LENGTH);
    this.#head += text.slice(0, cut);
    this.#tail = text.slice(cut);
  }

  toString(): string {
    return this.#head + this.#tail;
  }
}

/** Joins lines that reach the margin with the next line. Shorter lines, as in tables and addresses, stay lines. */
function writeBlock(lines: readonly PdfLine[], words: ReadonlySet<string>): string {
  const left = lines.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const width = lines.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY) - left;
  const written: RunningLine[] = [];
  let full = false;
  for (const line of lines) {
    const text = line.text.trim();
    const above = written.at(-1);
    const runsOn = full && !LIST_MARK.test(text);
    if (runsOn && above !== undefined) above.join(text, words);
    else written.push(new RunningLine(text));
    full = width >= NARROWEST * line.size && line.end - left >= FULL_LINE * width;
  }
  return written.join('\n').replaceAll('\u00ad', '');
}

/** The text of a page: lines joined into paragraphs, with a blank line between them. */
export function paragraphsOf(lines: readonly PdfLine[], words: ReadonlySet<string>): string {
  const blocks = [...blocksOf(lines)].map((block) => writeBlock(block, words));
  return withoutHeadings(blocks.join('\n\n'));
}
