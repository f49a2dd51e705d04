import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import type { Extractor } from '../extraction.ts';
import { columnLetters, MAX_COLUMN, MAX_ROW, outsideFault, showIsoDate, showNumber } from './cells.ts';
import { CONTENT, charactersOf, collapsed, openDocument, readMeta } from './package.ts';
import { type Cell, RowBudget, SheetText } from './workbook.ts';
import { commentLine } from './xlsx.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';

const DURATION = /^PT(\d{1,6})H(\d{1,2})M(\d{1,2})(?:[.,]\d{1,20})?S$/;
const DIGITS = /^\d{1,20}$/;

/** Shows a time such as `PT07H30M00S` as `07:30`. */
function showTime(value: string, shown: string): string {
  const [, hours, minutes, seconds] = DURATION.exec(value) ?? [];
  if (hours === undefined || minutes === undefined || seconds === undefined) return shown;
  const clock = [hours, minutes, ...(Number(seconds) === 0 ? [] : [seconds])];
  return clock.map((part) => part.padStart(2, '0')).join(':');
}

/**
 * Shows the value of a cell as in a workbook of Excel, so that equal tables make equal texts.
 * @param shown the text that the program shows, in the format and language of its author
 */
function showCell(attributes: Attributes, shown: string): Omit<Cell, 'column'> {
  const type = attributes['office:value-type'];
  const value = attributes['office:value'];
  if (type === 'date') {
    return { text: showIsoDate(attributes['office:date-value'] ?? shown, { kind: 'minute' }), kind: 'date' };
  }
  if (type === 'time') return { text: showTime(attributes['office:time-value'] ?? '', shown), kind: 'other' };
  if (type === 'boolean') {
    return { text: attributes['office:boolean-value'] === 'true' ? 'TRUE' : 'FALSE', kind: 'other' };
  }
  // Gnumeric writes a percentage as a number. A text can end like one: the heading `Share in %`.
  if (type === 'percentage' || (type === 'float' && shown.endsWith('%')))
    return { text: shown || (value ?? ''), kind: 'number' };
  if (type === 'float' || type === 'currency') {
    // A number with leading zeros, such as a postal code, is shown with them.
    const isPadded = DIGITS.test(shown) && Number(shown) === Number(value);
    const text = isPadded || value === undefined ? shown : showNumber(value, { kind: 'plain' }, false);
    return { text, kind: 'number' };
  }
  if (shown.trim() !== '') return { text: shown, kind: 'text' };
  return { text: attributes['office:string-value'] ?? '', kind: 'text' };
}

/** Elements whose content is not of the cells: drawings, deleted cells, and copies of other files. */
const SKIPPED = new Set([
  'draw:frame',
  'office:forms',
  'table:dde-links',
  'table:shapes',
  'table:tracked-changes',
]);
const CELL = /^table:(?:covered-)?table-cell$/;

/** How often a row or a cell is repeated. */
const repetition = (stated: string | undefined) => {
  const times = Number(stated ?? 1);
  return Number.isInteger(times) && times > 0 ? times : 1;
};

interface OpenCell {
  attributes: Attributes;
  paragraphs: string[];
  comments: string[];
}

/** Reads the sheets of a spreadsheet. Rows and cells that are repeated by a number cost nothing if they are empty. */
class SpreadsheetReader implements XmlHandler {
  readonly #parts: DocumentPart[];
  readonly #budget = new RowBudget();
  #sheet: SheetText | null = null;
  #row = 0;
  #rowTimes = 1;
  #column = 0;
  #cells: Cell[] = [];
  #comments: string[] = [];
  #cell: OpenCell | null = null;
  /** The paragraph that is read, in a cell or in its comment. */
  #paragraph: string | null = null;
  #inComment = false;
  /** Within an element that is left out: how many elements are open in it. */
  #skipped = 0;
  /** The depth of tables. A table within a cell has no rows of the sheet. */
  #tables = 0;

  constructor(parts: DocumentPart[]) {
    this.#parts = parts;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped > 0 || SKIPPED.has(name) || (name === 'table:table' && this.#tables > 0)) {
      this.#skipped += 1;
    } else if (name === 'table:table') {
      this.#tables = 1;
      this.#row = 0;
      this.#sheet = new SheetText(attributes['table:name'] ?? '', this.#parts, this.#budget);
    } else if (name === 'table:table-source') {
      // The sheet is a copy of a table in another file.
      this.#sheet = null;
    } else if (name === 'table:table-row') {
      this.#rowTimes = repetition(attributes['table:number-rows-repeated']);
      this.#column = 0;
      this.#cells = [];
      this.#comments = [];
    } else if (CELL.test(name)) {
      this.#cell = { attributes, paragraphs: [], comments: [] };
    } else if (this.#cell !== null) this.#openInCell(name, attributes);
  }

  #openInCell(name: string, attributes: Attributes): void {
    if (name === 'office:annotation') this.#inComment = true;
    else if (name === 'text:p') this.#paragraph = '';
    else if (this.#paragraph !== null) this.#paragraph += charactersOf(name, attributes) ?? '';
  }

  text(piece: string): void {
    if (this.#skipped === 0 && this.#paragraph !== null) this.#paragraph += collapsed(piece);
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1;
    else if (name === 'table:table') {
      this.#sheet?.end();
      this.#sheet = null;
      this.#tables = 0;
    } else if (name === 'table:table-row') this.#closeRow();
    else if (CELL.test(name)) this.#closeCell();
    else if (name === 'office:annotation') this.#inComment = false;
    else if (name === 'text:p' && this.#paragraph !== null) {
      const list = this.#inComment ? this.#cell?.comments : this.#cell?.paragraphs;
      list?.push(this.#paragraph);
      this.#paragraph = null;
    }
  }

  #closeCell(): void {
    if (this.#cell === null) return;
    const { attributes, paragraphs, comments } = this.#cell;
    const times = repetition(attributes['table:number-columns-repeated']);
    const shown = showCell(attributes, paragraphs.join('\n'));
    const comment = comments.join('\n').trim();
    this.#cell = null;
    if (shown.text.trim() !== '') {
      if (this.#column + times > MAX_COLUMN) throw outsideFault();
      for (let nth = 1; nth <= times; nth++) this.#cells.push({ column: this.#column + nth, ...shown });
    }
    if (comment !== '') {
      this.#comments.push(commentLine(`${columnLetters(this.#column + 1)}${this.#row + 1}`, comment));
    }
    this.#column += times;
  }

  #closeRow(): void {
    const first = this.#row + 1;
    this.#row += this.#rowTimes;
    if (this.#sheet === null || (this.#cells.length === 0 && this.#comments.length === 0)) return;
    if (this.#row > MAX_ROW) throw outsideFault();
    for (let number = first; number <= this.#row; number++) {
      const comments = number === first ? this.#comments : [];
      if (this.#cells.length > 0 || comments.length > 0) {
        this.#sheet.add({ number, cells: this.#cells, comments });
      }
    }
  }
}

/** Spreadsheets of OpenDocument, like workbooks of Excel. */
export const extractOds: Extractor = async (content, report) => {
  const archive = await openDocument(content, 'ODS');
  const properties = await readMeta(archive);
  const parts: DocumentPart[] = [];
  await readXml(archive, CONTENT, new SpreadsheetReader(parts), { prefixes: true, onPiece: report });
  return { ...properties, parts };
};
