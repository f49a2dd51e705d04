import type { Unread } from '../../../../shared/schemas/unread.ts';
import type { DocumentPart } from '../../../../shared/text/prepared-chunks.ts';
import { type Extractor, FileFault, type ReportProgress } from '../../extraction.ts';
import type { Cell } from '../../grid/grid-row.ts';
import { openOffice, type Relation, readProperties, relationsOf } from '../package.ts';
import { type Attributes, readXml, type XmlHandler } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { MAX_COLUMN, MAX_ROW, outsideFault, parseReference, showIsoDate, showNumber } from './cells.ts';
import type { NumberFormat } from './number-format.ts';
import { readLayout, type SheetLayout } from './sheet-layout.ts';
import {
  commentLine,
  missingSheetFault,
  RowBudget,
  readWorkbook,
  type SheetPart,
  SheetText,
  unescapeText,
  type Workbook,
} from './workbook.ts';

const PLAIN: NumberFormat = { kind: 'plain' };

/** The comments of a sheet by the number of their row, in order. */
type Comments = Map<number, string[]>;

/** How the two kinds of comments are written: an element for each, with its text in elements of another name. */
const KINDS = [
  { type: 'threadedComment', element: 'threadedComment', text: 'text' },
  { type: 'comments', element: 'comment', text: 't' },
];

/** Reads the comments of a sheet: those in threads, and the older notes. */
async function readComments(archive: ZipArchive, relations: readonly Relation[]): Promise<Comments> {
  const comments: Comments = new Map();
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
  readonly #layout: SheetLayout;
  readonly #out: SheetText;
  /** The last row that stays visible when the sheet is scrolled. */
  #frozen = 0;
  #row = 0;
  #column = 0;
  #cells: Cell[] = [];
  /** How many columns the merged cells of the row cover. */
  #spans: ReadonlyMap<number, number> | undefined;
  /** The attributes of the current cell. */
  #cell: Attributes | null = null;
  #value = '';
  #isValue = false;
  #phonetic = false;

  constructor(workbook: Workbook, comments: Comments, layout: SheetLayout, out: SheetText) {
    this.#workbook = workbook;
    this.#comments = comments;
    this.#layout = layout;
    this.#out = out;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') {
      this.#row = attributes.r === undefined ? this.#row + 1 : Number(attributes.r);
      if (!(this.#row >= 1 && this.#row <= MAX_ROW && Number.isInteger(this.#row))) throw outsideFault();
      this.#column = 0;
      this.#cells = [];
      this.#spans = this.#layout.spans.get(this.#row);
    } else if (name === 'c') {
      this.#column = attributes.r === undefined ? this.#column + 1 : parseReference(attributes.r).column;
      if (this.#column > MAX_COLUMN) throw outsideFault();
      this.#cell = attributes;
      this.#value = '';
    } else if (this.#cell !== null) {
      if (name === 'rPh') this.#phonetic = true;
      this.#isValue = name === 'v' || (name === 't' && !this.#phonetic);
    } else if (name === 'pane' && attributes.state === 'frozen')
      this.#frozen = Number(attributes.ySplit ?? 0);
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
    const style = this.#workbook.styles[Number(attributes.s ?? 0)];
    const { text, kind } = this.#shown(attributes.t ?? 'n', style?.format ?? PLAIN);
    if (text.trim() === '') return;
    const span = this.#spans?.get(this.#column) ?? 1;
    this.#cells.push({ column: this.#column, text, kind, span, bold: style?.isBold ?? false });
  }

  #shown(type: string, format: NumberFormat): Pick<Cell, 'text' | 'kind'> {
    const { sharedTexts, from1904 } = this.#workbook;
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
    const headed = this.#layout.headed.get(this.#row);
    const row = { number: this.#row, cells: this.#cells, comments, isFrozen: this.#row === this.#frozen };
    this.#out.add(headed === undefined ? row : { ...row, headed });
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

/** What is needed to read the sheets of a workbook. */
interface OpenWorkbook {
  archive: ZipArchive;
  workbook: Workbook;
  /** The parts of the whole file. */
  parts: DocumentPart[];
  budget: RowBudget;
}

const isDamage = (error: unknown): error is FileFault =>
  error instanceof FileFault && error.code === 'corrupt';

/**
 * Reads one sheet. Nothing of a damaged one is kept.
 * @returns what could not be read of it
 * @throws FileFault `too_many_rows`, `too_many_chunks`, `too_deep`, and those of the archive
 */
async function readSheet(
  { archive, workbook, parts, budget }: OpenWorkbook,
  sheet: SheetPart,
  report: ReportProgress,
): Promise<{ unread: Unread[]; fault: FileFault | null }> {
  const { name, path } = sheet;
  const before = parts.length;
  const unread: Unread[] = [];
  try {
    const relations = await relationsOf(archive, path);
    let comments: Comments = new Map();
    try {
      comments = await readComments(archive, relations);
    } catch (error) {
      if (!isDamage(error)) throw error;
      unread.push({ kind: 'part', names: [`comments of ${name}`], reason: 'damaged' });
    }
    const layout = await readLayout(archive, path, relations);
    const reader = new SheetReader(workbook, comments, layout, new SheetText(sheet, parts, budget));
    if (!(await readXml(archive, path, reader, { onPiece: report }))) throw missingSheetFault();
    reader.end();
    return { unread, fault: null };
  } catch (error) {
    if (!isDamage(error)) throw error;
    parts.length = before;
    return { unread: [{ kind: 'sheet', names: [name], reason: 'damaged' }], fault: error };
  }
}

/**
 * Workbooks of Excel: every row that is not empty with the headings of its columns, hidden sheets too. Sheets without cells,
 * and damaged ones, are named in `unread`.
 * @throws FileFault `corrupt` if no sheet can be read, and those of `readSheet`
 */
export const extractXlsx: Extractor = async (content, report) => {
  const office = await openOffice(content, 'XLSX');
  const { archive } = office;
  const workbook = await readWorkbook(office);
  const properties = await readProperties(archive);
  const open: OpenWorkbook = { archive, workbook, parts: [], budget: new RowBudget() };
  const { sheets, withoutCells, missing } = workbook;
  const unread: Unread[] = [
    { kind: 'sheet', names: withoutCells, reason: 'not_read' },
    { kind: 'sheet', names: missing, reason: 'damaged' },
  ];
  let fault = missing.length > 0 ? missingSheetFault() : null;
  for (const [index, sheet] of sheets.entries()) {
    const read = await readSheet(open, sheet, (share) => report((index + share) / sheets.length));
    unread.push(...read.unread);
    fault ??= read.fault;
  }
  if (open.parts.length === 0 && fault !== null) throw fault;
  const named = unread.filter(({ names }) => names.length > 0);
  return { ...properties, parts: open.parts, ...(named.length > 0 && { unread: named }) };
};
