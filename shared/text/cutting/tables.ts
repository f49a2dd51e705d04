/**
 * Tables of Markdown, as GitHub has them (GFM 4.10): a heading row, a delimiter row, and rows up to a blank line or another
 * block. A table can be in a quotation or in an item of a list.
 */

/** The heading row of a table, with the row that divides it from the others. */
export interface TableHead {
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
export function canDelimit(line: string): boolean {
  return DELIMITER_START.test(line) && line.includes('|');
}

/** Reads the first two lines of a table; undefined if they do not begin one. */
export function readTableHead(headingLine: string, delimiterLine: string): TableHead | undefined {
  const before = QUOTE.exec(delimiterLine)?.[0] ?? '';
  const delimiter = delimiterLine.slice(before.length).trimEnd();
  const heading = headingLine.replace(QUOTE_OR_ITEM, '').trimEnd();
  const cells = cellsOf(delimiter);
  if (!cells.every((cell) => DELIMITER_CELL.test(cell)) || cells.length !== cellsOf(heading).length)
    return undefined;
  return { quote: before.trimStart(), heading, delimiter, columns: cells.length };
}

/** Whether a line below the head of a table begins another block, and is no row. */
export function endsTable(line: string, { quote }: TableHead): boolean {
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
