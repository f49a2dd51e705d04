import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { type Extractor, FileFault } from '../extraction.ts';
import { MAX_COLUMN, MAX_ROW, outsideFault, parseReference, showIsoDate, showNumber } from './cells.ts';
import { openOffice, readProperties, relationsOf } from './package.ts';
import {
  type Cell,
  missingSheetFault,
  RowBudget,
  readWorkbook,
  SheetText,
  unescapeText,
  type Workbook,
} from './workbook.ts';
import { type Attributes, readXml, type XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** The comments of a sheet by the number of their row, in order. */
type Comments = Map<number, string[]>;

/** The line of a comment in the text of its row. */
export const commentLine = (cell: string, text: string) => `Comment on ${cell}: ${text.trim()}`;

/** How the two kinds of comments are written: an element for each, with its text in elements of another name. */
const KINDS = [
  { type: 'threadedComment', element: 'threadedComment', text: 'text' },
  { type: 'comments', element: 'comment', text: 't' },
];

/** Reads the comments of a sheet: those in threads, and the older notes. */
async function readComments(archive: ZipArchive, sheet: string): Promise<Comments> {
  const comments: Comments = new Map();
  const relations = await relationsOf(archive, sheet);
  /** The cells with comments of the kinds that were read: a note repeats a thread for older programs. */
  const commented = new Set<string>();
  for (const kind of KINDS) {
    const cells: string[] = [];
    let [cell, text, isText, phonetic] = ['', '', false, false];
    const handler: XmlHandler = {
      open: (name, attributes) => {
        if (name === kind.element) [cell, text] = [attributes.ref ?? '', ''];
        else if (name === 'rPh') phonetic = true;
        else if (name === kind.text) isText = !phonetic;
      },
      text: (piece) => {
        if (isText) text += piece;
      },
      close: (name) => {
        if (name === kind.text) isText = false;
        else if (name === 'rPh') phonetic = false;
        if (name !== kind.element || text.trim() === '' || commented.has(cell)) return;
        const { row } = parseReference(cell);
        const ofRow = comments.get(row) ?? [];
        ofRow.push(commentLine(cell, unescapeText(text)));
        comments.set(row, ofRow);
        cells.push(cell);
      },
    };
    const targets = relations.filter(({ type }) => type === kind.type).map(({ target }) => target);
    for (const target of new Set(targets)) await readXml(archive, target, handler);
    for (const each of cells) commented.add(each);
  }
  return new Map([...comments].sort(([one], [other]) => one - other));
}

/** Reads the cells of one sheet. Of a formula, only the value that is stored with it is read. */
class SheetReader implements XmlHandler {
  readonly #workbook: Workbook;
  readonly #comments: Comments;
  readonly #out: SheetText;
  #row = 0;
  #column = 0;
  #cells: Cell[] = [];
  /** The attributes of the current cell. */
  #cell: Attributes | null = null;
  #value = '';
  #isValue = false;
  #phonetic = false;

  constructor(workbook: Workbook, comments: Comments, out: SheetText) {
    this.#workbook = workbook;
    this.#comments = comments;
    this.#out = out;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') {
      this.#row = attributes.r === undefined ? this.#row + 1 : Number(attributes.r);
      if (!(this.#row >= 1 && this.#row <= MAX_ROW && Number.isInteger(this.#row))) throw outsideFault();
      this.#column = 0;
      this.#cells = [];
    } else if (name === 'c') {
      this.#column = attributes.r === undefined ? this.#column + 1 : parseReference(attributes.r).column;
      if (this.#column > MAX_COLUMN) throw outsideFault();
      this.#cell = attributes;
      this.#value = '';
    } else if (this.#cell !== null) {
      if (name === 'rPh') this.#phonetic = true;
      this.#isValue = name === 'v' || (name === 't' && !this.#phonetic);
    }
  }

  text(piece: string): void {
    if (this.#isValue) this.#value += piece;
  }

  close(name: string): void {
    this.#isValue = false;
    if (name === 'rPh') this.#phonetic = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
  }

  /** Writes the comments that are below the last row. */
  end(): void {
    this.#writeCommentsBefore(MAX_ROW + 1);
    this.#out.end();
  }

  #closeCell(): void {
    const attributes = this.#cell ?? {};
    this.#cell = null;
    if (this.#value === '') return;
    const cell = this.#shown(attributes.t ?? 'n', attributes.s);
    if (cell.text.trim() !== '') this.#cells.push({ column: this.#column, ...cell });
  }

  #shown(type: string, style: string | undefined): Omit<Cell, 'column'> {
    const { sharedTexts, formats, from1904 } = this.#workbook;
    const value = this.#value;
    if (type === 's') {
      const text = /^\d{1,9}$/.test(value.trim()) ? sharedTexts[Number(value)] : undefined;
      if (text !== undefined) return { text, kind: 'text' };
      throw new FileFault(
        'corrupt',
        'The file is damaged: a cell names a text that the file does not have. Open it, save it again and import that.',
      );
    }
    if (type === 'str' || type === 'inlineStr') return { text: unescapeText(value), kind: 'text' };
    if (type === 'b') return { text: value.trim() === '1' ? 'TRUE' : 'FALSE', kind: 'other' };
    const format = formats[Number(style ?? 0)] ?? { kind: 'plain' };
    if (type === 'd') return { text: showIsoDate(value, format), kind: 'date' };
    if (type !== 'n') return { text: value, kind: 'other' };
    const isDate = format.kind === 'date' || format.kind === 'minute';
    return { text: showNumber(value, format, from1904), kind: isDate ? 'date' : 'number' };
  }

  #closeRow(): void {
    this.#writeCommentsBefore(this.#row);
    const comments = this.#comments.get(this.#row) ?? [];
    this.#comments.delete(this.#row);
    if (this.#cells.length === 0 && comments.length === 0) return;
    this.#out.add({ number: this.#row, cells: this.#cells, comments });
    this.#cells = [];
  }

  /** Writes the comments of rows without cells. */
  #writeCommentsBefore(row: number): void {
    for (const [number, comments] of this.#comments) {
      if (number >= row) return;
      this.#comments.delete(number);
      this.#out.add({ number, cells: [], comments });
    }
  }
}

/** Workbooks of Excel: every row that is not empty with the headings of its columns, hidden sheets too. */
export const extractXlsx: Extractor = async (content, report) => {
  const office = await openOffice(content, 'XLSX');
  const { archive } = office;
  const workbook = await readWorkbook(office);
  const properties = await readProperties(archive);
  const parts: DocumentPart[] = [];
  const budget = new RowBudget();
  for (const [index, { name, path }] of workbook.sheets.entries()) {
    const comments = await readComments(archive, path);
    const reader = new SheetReader(workbook, comments, new SheetText(name, parts, budget));
    const isThere = await readXml(archive, path, reader, {
      onPiece: (share) => report((index + share) / workbook.sheets.length),
    });
    if (!isThere) throw missingSheetFault();
    reader.end();
  }
  return { ...properties, parts };
};
