import { withoutHeadings } from '../text/markdown-text.ts';
import type { PdfLine } from './lines.ts';

/** Lines of a paragraph are this close together: as lines of the page usually are, or by the size of their letters. */
const GAP_TO_USUAL = 1.3;
const GAP_TO_SIZE = { few: 1.9, most: 2.6 };
/** So many lines tell what is usual. */
const ENOUGH_GAPS = 4;
/** Letters that differ in size by more than this share are a heading and what it heads. */
const SIZE_CHANGE = 0.15;
/** A line that ends within this share of the width before the margin was broken because it was full. */
const FULL_LINE = 0.82;
/** The end of a paragraph that is looked at to join the next line, in UTF-16 code units: longer than any word. */
const TAIL_LENGTH = 200;
/** Lines narrower than so many times the size of their letters are no running text. */
const NARROWEST = 15;

const WORD = /[\p{L}\p{M}]+(?:[-‐][\p{L}\p{M}]+)*/gu;
/** Only whole words: from each letter of a long one the search would go to its end. */
const BROKEN_WORD = /(?<![\p{L}\p{M}])([\p{L}\p{M}]*\p{Ll})[-‐]$/u;
const NEXT_PART = /^(\p{Ll}[\p{L}\p{M}]*)/u;
const LIST_MARK = /^(?:[•‣▪◦●○■–—*-]|\p{L}[.)]|\d{1,3}[.)])\s/u;
/** Scripts that put no space between words: none belongs where a line was broken. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uff60]/u;

/**
 * The words of a document, in small letters, by which broken ones are put together: without the parts that stand
 * at the end of a line and at the beginning of the next.
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
 * Two lines as one. A hyphen at the end goes only where the document does not speak against it: it stays where the
 * word has it elsewhere, and where both parts are words and the whole is not.
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

/** Whether a line is set as the one above it is. */
function isLike(above: PdfLine, line: PdfLine): boolean {
  if (above.angle !== line.angle || above.vertical !== line.vertical) return false;
  return Math.abs(above.size - line.size) <= SIZE_CHANGE * Math.max(above.size, line.size);
}

/** How far apart the lines of a page usually are; null where there are too few to tell. */
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

/** Whether a line belongs to the paragraph of the one above it. Columns begin further up, and so do not. */
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

/** A line of the result, to which further lines are joined. Only its tail is looked at, however long it has become. */
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

/** Lines that reach the margin run on into the next; shorter ones, as in tables and addresses, stay lines. */
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

/** The text of a page: its lines joined to paragraphs, with a blank line between them. */
export function paragraphsOf(lines: readonly PdfLine[], words: ReadonlySet<string>): string {
  const blocks = [...blocksOf(lines)].map((block) => writeBlock(block, words));
  return withoutHeadings(blocks.join('\n\n'));
}
