import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  PDFDateString,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem, TextStyle } from 'pdfjs-dist/types/src/display/api.js';
import { dayOf, MAX_CHUNKS } from '../../shared/text/prepared-chunks.ts';
import { type Extraction, type Extractor, FileFault, type ReportProgress } from './extraction.ts';
import { oneLine, withoutHeadings } from './text.ts';

/** One line of a page, with its position in the units of the page. */
export interface PdfLine {
  text: string;
  /** The direction of the text, in whole degrees. */
  angle: number;
  vertical: boolean;
  /** The start and end of the line along its direction. */
  start: number;
  end: number;
  /** The position across its direction: lower for lines further down. */
  baseline: number;
  /** The size of its largest letters. */
  size: number;
}

/** The position of a piece of text. */
function place({ transform, width, height }: TextItem, vertical: boolean): Omit<PdfLine, 'text'> {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform as number[];
  const size = Math.hypot(c, d);
  if (vertical) {
    return { angle: 0, vertical, start: -y, end: -y + height, baseline: x, size };
  }
  const scale = Math.hypot(a, b) || 1;
  const [right, up] = [a / scale, b / scale];
  const start = x * right + y * up;
  const angle = Math.round((Math.atan2(b, a) * 180) / Math.PI);
  return { angle, vertical, start, end: start + width, baseline: y * right - x * up, size };
}

/** Joins the pieces of a page into lines, in the order of the page. */
function linesOf(items: readonly TextItem[], styles: Readonly<Record<string, TextStyle>>): PdfLine[] {
  const lines: PdfLine[] = [];
  let line: PdfLine | null = null;
  for (const item of items) {
    if (item.str !== '') {
      const spot = place(item, styles[item.fontName]?.vertical === true);
      if (line === null) line = { ...spot, text: item.str };
      else {
        line.text += item.str;
        line.start = Math.min(line.start, spot.start);
        line.end = Math.max(line.end, spot.end);
        if (item.str.trim() !== '') line.size = Math.max(line.size, spot.size);
      }
    }
    if (item.hasEOL && line !== null) {
      lines.push(line);
      line = null;
    }
  }
  if (line !== null) lines.push(line);
  return lines.filter(({ text }) => text.trim() !== '');
}

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

/** The folder of the library, with the files that it needs for the encodings of Chinese, Japanese and Korean. */
const LIBRARY = new URL('./', import.meta.resolve('pdfjs-dist/package.json'));
const folder = (name: string) => fileURLToPath(new URL(`${name}/`, LIBRARY));

/**
 * Each page with text is at least one chunk, so a document with more pages is refused at once. A small file can have
 * many pages, because the list of pages can contain the same page any number of times.
 */
const MAX_PAGES = MAX_CHUNKS;

/** Titles that programs write if they know no title. */
const NO_TITLE = /^(?:untitled|unbenannt|title|microsoft (?:word|powerpoint|excel) - .*)$/i;

/** The fault for an error of the library when it opens a document or reads a page. */
function openingFault(error: unknown): FileFault {
  if (error instanceof FileFault) return error;
  if (error instanceof Error && error.name === 'PasswordException') {
    return new FileFault(
      'locked',
      'The PDF can be opened only with a password: save it without one and import it again.',
    );
  }
  if (error instanceof RangeError) {
    return new FileFault('too_deep', 'The PDF is nested too deeply to be read: print it to a new PDF.');
  }
  return new FileFault('corrupt', 'The PDF is damaged or incomplete: send it again from a copy that opens.');
}

/**
 * Whether the extracted letters are the ones that the pages show. A font that has only the needed letters may not
 * state which letters they are. The extracted characters are then their numbers in the font, and the number of the
 * space, like many others, is a control character. The limit is a guess: one in twenty is less than the share of spaces
 * in any language that has them, and far more than a few stray control characters.
 */
function isLegible(parts: readonly { text: string }[]): boolean {
  const letters = parts.map(({ text }) => text.replaceAll(/\s/g, '')).join('');
  return (letters.match(/[\p{Cc}\uFFFD]/gu)?.length ?? 0) <= letters.length / 20;
}

/** The title of the document, and the day on which it was last changed. */
async function readProperties(document: PDFDocumentProxy): Promise<Pick<Extraction, 'title' | 'date'>> {
  const { info, metadata } = await document.getMetadata();
  const { Title, ModDate, CreationDate } = info as Partial<Record<string, unknown>>;
  const title = [Title, metadata?.get('dc:title')]
    .map((title) => (typeof title === 'string' ? oneLine(title) : ''))
    .find((title) => title !== '' && !NO_TITLE.test(title));
  const changed = [ModDate, CreationDate].find((date) => typeof date === 'string');
  const time = changed === undefined ? null : PDFDateString.toDateObject(changed);
  return { title: title ?? null, date: time === null ? null : dayOf(time) };
}

async function readPage(document: PDFDocumentProxy, number: number): Promise<PdfLine[]> {
  const page = await document.getPage(number);
  const { items, styles } = await page.getTextContent();
  page.cleanup();
  return linesOf(
    items.filter((item): item is TextItem => 'str' in item),
    styles as Parameters<typeof linesOf>[1],
  );
}

function open(content: Uint8Array): PDFDocumentLoadingTask {
  return getDocument({
    // A copy, because the library takes ownership of the buffer.
    data: new Uint8Array(content),
    cMapUrl: folder('cmaps'),
    standardFontDataUrl: folder('standard_fonts'),
    // Nothing is rendered, so fonts are not loaded.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });
}

async function readDocument(document: PDFDocumentProxy, report: ReportProgress): Promise<Extraction> {
  if (document.numPages > MAX_PAGES) {
    throw new FileFault(
      'too_many_pages',
      `The PDF has ${document.numPages} pages, more than the ${MAX_PAGES} that can be read: divide it.`,
    );
  }
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    pages.push(await readPage(document, number));
    report(number / document.numPages);
  }
  const words = wordsOf(pages);
  const parts = pages
    .map((lines, index) => ({ text: paragraphsOf(lines, words), place: { page: index + 1 } }))
    .filter(({ text }) => text !== '');
  if (parts.length === 0) {
    throw new FileFault(
      'no_text',
      'The pages hold pictures but no text: run text recognition (OCR) over them and import the result.',
    );
  }
  if (!isLegible(parts)) {
    throw new FileFault(
      'no_text',
      'The PDF does not state which letters its fonts show: run text recognition (OCR) over it and import the result.',
    );
  }
  return { ...(await readProperties(document)), parts };
}

/**
 * The library awaits some objects only when it needs them, so a broken object can reject a promise without a handler.
 * The call that fails later reports the fault. The unhandled rejection must not end the process.
 */
async function ignoringUnhandledRejections<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  try {
    return await work();
  } finally {
    await turn();
    process.off('unhandledRejection', ignore);
  }
}

/**
 * Reads a PDF: each page with text is a part, with its page number.
 * @throws FileFault `locked`, `corrupt`, `too_deep`, `too_many_pages`; `no_text` if the pages are pictures, or the
 * fonts do not state their letters
 */
export const extractPdf: Extractor = (content, report) =>
  ignoringUnhandledRejections(async () => {
    const task = open(content);
    try {
      return await readDocument(await task.promise, report);
    } catch (error) {
      throw openingFault(error);
    } finally {
      await task.destroy();
    }
  });
