import type { DocumentPart } from '../../../shared/text/prepared-chunks.ts';
import { FileFault } from '../extraction.ts';
import { RecordText } from '../record-text.ts';
import { oneLine, PackedParts, TextBudget } from '../text.ts';
import { builtInFormat, type NumberFormat, parseFormat } from './cells.ts';
import { mismatchFault, type OfficePackage, type Relation, relationsOf } from './package.ts';
import { type Attributes, readXml } from './xml.ts';
import type { ZipArchive } from './zip-archive.ts';

/** The small parts of a workbook, and the texts that its cells share. */

/** A sheet of a workbook: its name, and the path of its part. */
export interface SheetPart {
  name: string;
  path: string;
}

/** What all sheets of a workbook have in common. */
export interface Workbook {
  sheets: SheetPart[];
  from1904: boolean;
  /** The formats of numbers, by the style of a cell. */
  formats: NumberFormat[];
  sharedTexts: string[];
}

export const missingSheetFault = () =>
  new FileFault('corrupt', 'The file is damaged: a sheet is missing. Send it again from a copy that opens.');

/** A character that XML cannot contain, as spreadsheets write it. */
const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** Decodes characters such as `_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const TRUE = /^(?:1|true|on)$/;

/** The value of an attribute that has a prefix. */
function prefixed(attributes: Attributes, name: string): string | undefined {
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

async function readSheetList(
  { archive, main }: OfficePackage,
  relations: readonly Relation[],
): Promise<Pick<Workbook, 'sheets' | 'from1904'>> {
  const sheets: SheetPart[] = [];
  const seen = new Set<string>();
  const byId = new Map(relations.map((each) => [each.id, each]));
  let from1904 = false;
  let root: string | null = null;
  await readXml(archive, main, {
    open: (name, attributes) => {
      root ??= name;
      // Excel writes a second element of this name, an extension, which says nothing about dates.
      if (name === 'workbookPr' && TRUE.test(attributes.date1904 ?? '')) from1904 = true;
      if (name !== 'sheet') return;
      const id = prefixed(attributes, 'id');
      const relation = byId.get(id ?? '');
      if (relation === undefined) throw missingSheetFault();
      // Sheets of charts and macros have no cells. A part that several sheets name is read once.
      if (relation.type !== 'worksheet' || seen.has(relation.target)) return;
      seen.add(relation.target);
      sheets.push({ name: attributes.name ?? '', path: relation.target });
    },
  });
  if (root !== 'workbook') throw mismatchFault('XLSX', null);
  return { sheets, from1904 };
}

async function readFormats(archive: ZipArchive, path: string | undefined): Promise<NumberFormat[]> {
  const codes = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let inCells = false;
  if (path === undefined) return formats;
  await readXml(archive, path, {
    open: (name, attributes) => {
      if (name === 'numFmt') codes.set(Number(attributes.numFmtId), parseFormat(attributes.formatCode ?? ''));
      else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(codes.get(id) ?? builtInFormat(id));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return formats;
}

async function readSharedTexts(archive: ZipArchive, path: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  const budget = new TextBudget();
  let text = '';
  let isText = false;
  let phonetic = false;
  if (path === undefined) return texts;
  await readXml(archive, path, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic = true;
      else if (name === 't') isText = !phonetic;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      if (name === 't') isText = false;
      else if (name === 'rPh') phonetic = false;
      else if (name === 'si') {
        budget.addText(text.length);
        texts.push(unescapeText(text));
      }
    },
  });
  return texts;
}

/**
 * Reads what all sheets of a workbook have in common.
 * @throws FileFault `corrupt`, `too_many_chunks`
 */
export async function readWorkbook(office: OfficePackage): Promise<Workbook> {
  const { archive, main } = office;
  const relations = await relationsOf(archive, main);
  const partOf = (type: string) => relations.find((each) => each.type === type)?.target;
  return {
    ...(await readSheetList(office, relations)),
    formats: await readFormats(archive, partOf('styles')),
    sharedTexts: await readSharedTexts(archive, partOf('sharedStrings')),
  };
}

/** A filled cell. */
export interface Cell {
  /** From 1. */
  column: number;
  text: string;
  kind: 'text' | 'number' | 'date' | 'other';
}

/** A row with at least one filled cell or comment. */
interface Row {
  /** From 1, as the program shows it. */
  number: number;
  /** In the order of the columns. */
  cells: readonly Cell[];
  /** The comments on cells of the row. */
  comments: readonly string[];
}

/** A whole number that can be the year at the head of a column. */
const YEAR = /^(?:19|20)\d\d$/;

/** Whether a cell is a year or a date: columns of a time series have them as headings. */
const isPeriod = ({ kind, text }: Cell) => kind === 'date' || (kind === 'number' && YEAR.test(text));

/** Whether each cell can be a heading of the cell below it. */
function canBeHeading({ cells }: Row, below: Row): boolean {
  if (!cells.some(({ kind }) => kind === 'text')) return false;
  const belowByColumn = new Map(below.cells.map((cell) => [cell.column, cell]));
  return cells.every((cell) => {
    if (cell.kind === 'text') return true;
    const under = belowByColumn.get(cell.column);
    return isPeriod(cell) && under !== undefined && under.kind !== 'text' && !isPeriod(under);
  });
}

/**
 * The index of the row that names the columns, among the first filled rows of a sheet; -1 if none does. It is the first
 * row whose cells are all text, and that has at least half as many cells as the widest of these rows. A year or a
 * date counts as text if a number of another kind is below it. A row of titles above a table is narrower, and the last
 * row names nothing. In a sheet with one column, no row names it.
 */
function findHeadingRow(first: readonly Row[]): number {
  const widest = Math.max(0, ...first.map(({ cells }) => cells.length));
  if (widest < 2) return -1;
  return first.findIndex((row, index) => {
    const below = first[index + 1];
    return (
      below !== undefined &&
      row.cells.length * 2 >= widest &&
      row.cells.length > 1 &&
      canBeHeading(row, below)
    );
  });
}

/**
 * The most filled rows of one file, in all sheets together. A source has at most 50,000 chunks, and a chunk has room for
 * about five rows of ordinary width.
 */
const MAX_ROWS = 250_000;
/** So many rows are compared to find the headings. */
const COMPARED_ROWS = 20;
/** A longer heading is a text: it is cut, because every row repeats it. */
const MAX_HEADING_LENGTH = 200;

/** Counts what the sheets of a file have together. */
export class RowBudget extends TextBudget {
  #rows = 0;

  /** @throws FileFault `too_many_rows` */
  addRow(): void {
    this.#rows += 1;
    if (this.#rows <= MAX_ROWS) return;
    throw new FileFault(
      'too_many_rows',
      `The file has more than ${MAX_ROWS.toLocaleString('en-US')} filled rows: divide it, or leave out what nobody searches for.`,
    );
  }
}

/**
 * The text of a sheet: a block of lines `Heading: cell` for each row. Rows are packed into parts that become one chunk
 * each, so that each chunk knows its first row.
 */
export class SheetText {
  readonly #sheet: string;
  readonly #parts: PackedParts;
  readonly #budget: RowBudget;
  /** The first rows, until the headings are known; then null. */
  #first: Row[] | null = [];
  #headings: string[] = [];

  /** @param parts the parts of the whole file, to which those of the sheet are added */
  constructor(sheet: string, parts: DocumentPart[], budget: RowBudget) {
    this.#sheet = oneLine(sheet);
    this.#parts = new PackedParts(parts, budget);
    this.#budget = budget;
  }

  /**
   * Adds the next filled row.
   * @throws FileFault `too_many_rows`, `too_many_chunks`
   */
  add(row: Row): void {
    this.#budget.addRow();
    if (this.#first === null) this.#write(row);
    else if (this.#first.push(row) === COMPARED_ROWS) this.#writeFirst();
  }

  /** Ends the sheet. */
  end(): void {
    this.#writeFirst();
    this.#parts.end();
  }

  #writeFirst(): void {
    const first = this.#first ?? [];
    this.#first = null;
    const heading = findHeadingRow(first);
    for (const [index, row] of first.entries()) {
      if (index !== heading) this.#write(row);
      else {
        for (const { column, text } of row.cells) {
          this.#headings[column] = oneLine(text.slice(0, MAX_HEADING_LENGTH * 2)).slice(
            0,
            MAX_HEADING_LENGTH,
          );
        }
        // Every row repeats the headings, but not the comments on them.
        if (row.comments.length > 0) this.#write({ ...row, cells: [] });
      }
    }
  }

  #write({ number, cells, comments }: Row): void {
    const record = new RecordText();
    for (const { column, text } of cells) record.add(this.#headings[column] ?? '', text);
    for (const comment of comments) record.add('', comment);
    const text = record.toString();
    if (text !== '') this.#parts.add(text, { sheet: this.#sheet, row: number });
  }
}
