/** The blocks of a document: headings, fenced code, tables and paragraphs, as far as Markdown and plain text agree. */

import { SLICE_LENGTH } from '../../resources/yield-between-steps.ts';
import { canDelimit, endsTable, readTableHead, type TableHead } from './tables.ts';

/** A range of the document, from `start` to `end` (exclusive), without the line break after it. */
export type Block =
  | { kind: 'text' | 'code'; start: number; end: number }
  | { kind: 'heading'; start: number; end: number; level: number; title: string }
  | Table;

interface Table {
  kind: 'table';
  start: number;
  end: number;
  head: TableHead;
  /** Where the first row after the head begins. */
  rows: number;
}

/** A block of text that can have more lines. */
interface OpenText {
  kind: 'text';
  start: number;
  end: number;
  lines: number;
  /** Where its last line begins. */
  last: number;
}

/** A longer line that looks like a heading is a paragraph: in plain text such lines occur by accident. */
const MAX_HEADING_LENGTH = 200;

/** CommonMark 4.2: up to three spaces, one to six `#`, white space, the title, perhaps more `#`. */
const ATX_HEADING = /^ {0,3}(#{1,6})[ \t](.*)$/;
const ATX_CLOSING = /(?:^|[ \t])#+$/;
/** CommonMark 4.3: the line below a title, all `=` or all `-`. */
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** Lines that are not a title, even with `---` below them: list items, quotations, table rows. */
const NO_SETEXT_TITLE = /^\s*(?:[-*+>|]|\d+[.)]\s)/;
/** CommonMark 4.5: three or more backticks (none after them on the line) or tildes. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const NOT_BLANK = /\S/;
/** The beginning of every heading, underline and fence. Most lines do not match and need no further test. */
const MARKUP = /^ {0,3}[#`~=-]/;

/**
 * Only this much of a line is tested for its kind, because a line can be as long as the document. A table whose first two
 * lines are longer is a paragraph.
 */
const LINE_HEAD_LENGTH = 1_000;

/** The end of a line is searched in windows of this length. Two of them are a step. */
const WINDOW = SLICE_LENGTH / 2;
/** The work for each line, in characters: 4,096 empty lines take about a millisecond. */
const LINE_WORK = 8;

/**
 * Reads the blocks of `text` in order. Its line breaks must be `\n`. Blank lines belong to no block, except in fenced
 * code. A fence that is not closed ends with the document. Yields null before any expression has read more than 65,536
 * characters, so that the caller can stop or let other work run.
 */
export function* readBlocks(text: string): Generator<Block | null> {
  let open: OpenText | Table | undefined;
  let fence: { marker: string; start: number } | undefined;
  let read = 0;
  for (let start = 0; start < text.length; ) {
    if (read > WINDOW) {
      yield null;
      read = 0;
    }
    let from = start;
    let end = findLineEnd(text, from);
    while (end === null) {
      yield null;
      read = 0;
      from += WINDOW;
      end = findLineEnd(text, from);
    }
    read += LINE_WORK + end - from;
    const line = text.slice(start, Math.min(end, start + LINE_HEAD_LENGTH));
    const next = end + 1;
    if (fence) {
      if (closesFence(line, fence.marker)) {
        yield { kind: 'code', start: fence.start, end };
        fence = undefined;
      }
    } else if (open?.kind === 'text' && open.lines === 1 && isSetext(text, open, line)) {
      const title = text.slice(open.start, open.end).trim();
      yield { kind: 'heading', start: open.start, end, level: line.includes('=') ? 1 : 2, title };
      open = undefined;
    } else {
      const markup = MARKUP.test(line);
      const heading = markup ? readAtxHeading(line, end - start) : undefined;
      const marker = markup ? FENCE.exec(line)?.[1] : undefined;
      const blank = end - start <= LINE_HEAD_LENGTH && !NOT_BLANK.test(line);
      const endsOpen = open?.kind === 'table' && endsTable(line, open.head);
      if (open && (heading || marker !== undefined || blank || endsOpen)) {
        yield closed(open);
        open = undefined;
      }
      const table = open?.kind === 'text' ? tableFrom(text, open, { line, start, end }) : undefined;
      if (open && table) {
        if (table.start > open.start) yield { kind: 'text', start: open.start, end: table.start - 1 };
        open = table;
      } else if (heading) yield { kind: 'heading', start, end, ...heading };
      else if (marker !== undefined) fence = { marker, start };
      else if (open?.kind === 'table') open.end = end;
      else if (!blank)
        open = { kind: 'text', start: open?.start ?? start, end, lines: (open?.lines ?? 0) + 1, last: start };
    }
    start = next;
  }
  if (fence) yield { kind: 'code', start: fence.start, end: text.length };
  if (open) yield closed(open);
}

function closed(open: OpenText | Table): Block {
  return open.kind === 'table' ? open : { kind: 'text', start: open.start, end: open.end };
}

/** The table whose head is the last line of a paragraph and the line below it; undefined if they are no such lines. */
function tableFrom(
  text: string,
  { last }: OpenText,
  { line, start, end }: { line: string; start: number; end: number },
): Table | undefined {
  if (end - last > LINE_HEAD_LENGTH || !canDelimit(line)) return undefined;
  const head = readTableHead(text.slice(last, start - 1), line);
  return head && { kind: 'table', start: last, end, head, rows: Math.min(end + 1, text.length) };
}

/** The end of the line that the window from `from` on begins in; null if it is after the window. */
function findLineEnd(text: string, from: number): number | null {
  const to = from + WINDOW;
  const newline = text.slice(from, to).indexOf('\n');
  if (newline !== -1) return from + newline;
  return to < text.length ? null : text.length;
}

function readAtxHeading(line: string, length: number): { level: number; title: string } | undefined {
  if (length > MAX_HEADING_LENGTH) return undefined;
  const match = ATX_HEADING.exec(line);
  const title = match?.[2]?.trim().replace(ATX_CLOSING, '').trimEnd();
  // A `#` without a title is not a heading: comments in plain text have it.
  return title ? { level: match![1]!.length, title } : undefined;
}

/**
 * Whether `line` underlines the one-line paragraph above it. In CommonMark a title can have several lines. Here it
 * cannot, because in plain text a rule below a paragraph is more common.
 */
function isSetext(text: string, paragraph: { start: number; end: number }, line: string): boolean {
  if (paragraph.end - paragraph.start > MAX_HEADING_LENGTH) return false;
  const underline = SETEXT_UNDERLINE.exec(line)?.[1];
  if (underline === undefined) return false;
  return underline.startsWith('=') || !NO_SETEXT_TITLE.test(text.slice(paragraph.start, paragraph.end));
}

/** A closing fence repeats the opening marker's character at least as often, and nothing else. */
function closesFence(line: string, marker: string): boolean {
  const run = FENCE.exec(line)?.[1];
  return run !== undefined && run.startsWith(marker) && line.trim() === run;
}
