import { SLICE_LENGTH } from '../resources/async.ts';

/**
 * Tables of Markdown, as GitHub has them (GFM 4.10): a heading row, a delimiter row, and rows up to a blank line or another
 * block. A table can be in a quotation or in an item of a list.
 */

/** The heading row of a table, with the row that divides it from the others. */
interface TableHead {
  /** What each line of the table begins with in a quotation: `> `. Otherwise empty. */
  quote: string;
  heading: string;
  delimiter: string;
  columns: number;
}

/** The beginning of every delimiter row. */
const DELIMITER_START = /^[ \t>|]*:?-/;
const DELIMITER_CELL = /^:?-+:?$/;
/** What is before a line in a quotation, or in an item of a list. Only the first line of an item has its marker. */
const QUOTE = /^[ \t>]*/;
const QUOTE_OR_ITEM = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*/;
/** Blocks that end a table without a blank line: an item of a list, a quotation and a rule. */
const OTHER_BLOCK = /^[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|[-*_]{3,}[ \t]*$)/;

/** Whether a line can be a delimiter row. Few other lines can. */
function canDelimit(line: string): boolean {
  return DELIMITER_START.test(line) && line.includes('|');
}

/** Reads the first two lines of a table; undefined if they do not begin one. */
function readTableHead(headingLine: string, delimiterLine: string): TableHead | undefined {
  const before = QUOTE.exec(delimiterLine)?.[0] ?? '';
  const delimiter = delimiterLine.slice(before.length).trimEnd();
  const heading = headingLine.replace(QUOTE_OR_ITEM, '').trimEnd();
  const cells = cellsOf(delimiter);
  if (!cells.every((cell) => DELIMITER_CELL.test(cell)) || cells.length !== cellsOf(heading).length)
    return undefined;
  return { quote: before.trimStart(), heading, delimiter, columns: cells.length };
}

/** Whether a line below the head of a table begins another block, and is no row. */
function endsTable(line: string, { quote }: TableHead): boolean {
  return quote === '' ? OTHER_BLOCK.test(line) : !line.trimStart().startsWith('>');
}

/** The cells of a row, without the white space around them. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  let from = row.startsWith('|') ? 1 : 0;
  for (let i = from; i < row.length; i++) {
    if (row[i] === '\\') i += 1;
    else if (row[i] === '|') {
      cells.push(row.slice(from, i).trim());
      from = i + 1;
    }
  }
  if (from < row.length) cells.push(row.slice(from).trim());
  return cells;
}

/** Longer lines are not repeated, because they would take the place of the rows. */
const MAX_LINES_LENGTH = 500;
/** The most that a piece repeats: such lines and, within a row, what begins a line of a quotation and a `|` for each column. */
export const MAX_REPEATED_LENGTH = 800;
const SPACES = /[ \t]+/g;
const HYPHENS = /-+/g;

/**
 * The lines that a further piece of a table begins with, each with its line break. If they are too long because of the
 * spaces that align the columns, they are repeated without them. Empty if they are still too long, or if no column has a
 * name.
 */
function repeatedLines({ quote, heading, delimiter }: TableHead): string {
  if (cellsOf(heading).every((cell) => cell === '')) return '';
  const whole = `${quote}${heading}\n${quote}${delimiter}\n`;
  if (whole.length <= MAX_LINES_LENGTH) return whole;
  const narrow = `${quote}${heading.replace(SPACES, ' ')}\n${quote}${delimiter.replace(SPACES, ' ').replace(HYPHENS, '-')}\n`;
  return narrow.length <= MAX_LINES_LENGTH ? narrow : '';
}

/** What is before the first cell of a row. */
const BEFORE_ROW = ' \t>';

/** Follows the rows of a table that is cut into pieces. */
export class TableRows {
  readonly #head: TableHead;
  readonly #lines: string;
  /** The column of the cell that was read last; -1 before the first cell of a row. */
  #column = -1;

  constructor(head: TableHead) {
    this.#head = head;
    this.#lines = repeatedLines(head);
  }

  /** Reads the next part of the rows. */
  read(part: string): void {
    for (let i = 0; i < part.length; i++) {
      const character = part[i]!;
      if (character === '\n') this.#column = -1;
      else if (this.#column === -1 && BEFORE_ROW.includes(character)) continue;
      else if (character === '|') this.#column += 1;
      else {
        this.#column = Math.max(this.#column, 0);
        if (character === '\\' && part[i + 1] !== '\n') i += 1;
      }
    }
  }

  /**
   * What a piece begins with that follows the parts that were read: the head and, in the rest of a row, an empty cell for
   * each column before, so that the rest keeps its columns.
   */
  get repeated(): string {
    if (this.#lines === '' || this.#column === -1) return this.#lines;
    const { quote, columns } = this.#head;
    return `${this.#lines}${quote}${'|'.repeat(Math.min(this.#column, columns - 1) + 1)} `;
  }
}

/** The blocks of a document: headings, fenced code, tables and paragraphs, as far as Markdown and plain text agree. */

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
