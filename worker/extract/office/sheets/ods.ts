import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import type { Extractor } from '../../extraction.ts';
import type { Cell } from '../../grid/grid-row.ts';
import { CONTENT, charactersOf, collapsed, openDocument, readMeta } from '../package.ts';
import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import { columnLetters, MAX_COLUMN, MAX_ROW, outsideFault } from './cells.ts';
import { OdsStyles } from './ods-styles.ts';
import { showCell } from './ods-value.ts';
import { commentLine, RowBudget, SheetText } from './workbook.ts';

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
  readonly #styles = new OdsStyles();
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
      const isHidden = this.#styles.isHidden(attributes['table:style-name']);
      this.#sheet = new SheetText(
        { name: attributes['table:name'] ?? '', isHidden },
        this.#parts,
        this.#budget,
      );
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
    else this.#styles.openElement(name, attributes);
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
      const span = Math.min(
        repetition(attributes['table:number-columns-spanned']),
        MAX_COLUMN - this.#column,
      );
      const bold = this.#styles.isBold(attributes['table:style-name']);
      for (let nth = 1; nth <= times; nth++) {
        this.#cells.push({ column: this.#column + nth, ...shown, span: times > 1 ? 1 : span, bold });
      }
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
