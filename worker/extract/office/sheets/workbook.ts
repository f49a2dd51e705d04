import type { DocumentPart, PartPlace } from '../../../../shared/text/prepared-chunks.ts';
import { FileFault } from '../../extraction.ts';
import { GridReader, type GridRecord } from '../../grid/grid-reader.ts';
import type { Row } from '../../grid/grid-row.ts';
import { addGridRecord, RecordText } from '../../record-text.ts';
import { oneLine, PackedParts, TextBudget } from '../../text.ts';
import { mismatchFault, type OfficePackage, type Relation, relationsOf } from '../package.ts';
import { prefixedValue, readXml } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { builtInFormat, type NumberFormat, parseFormat } from './number-format.ts';

/** The small parts of a workbook, and the texts that its cells share. */

/** The name of a sheet, and whether the program shows it. */
export interface SheetName {
  name: string;
  isHidden: boolean;
}

/** A sheet of a workbook, and the path of its part. */
export interface SheetPart extends SheetName {
  path: string;
}

/** How a cell is shown. */
export interface CellStyle {
  format: NumberFormat;
  isBold: boolean;
}

/** What all sheets of a workbook have in common. */
export interface Workbook {
  sheets: SheetPart[];
  from1904: boolean;
  /** The names of sheets without cells, such as those of charts and macros, and of sheets whose part is missing. */
  withoutCells: string[];
  missing: string[];
  /** How cells are shown, by their style. */
  styles: CellStyle[];
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

async function readSheetList(
  { archive, main }: OfficePackage,
  relations: readonly Relation[],
): Promise<Omit<Workbook, 'styles' | 'sharedTexts'>> {
  const sheets: SheetPart[] = [];
  const withoutCells: string[] = [];
  const missing: string[] = [];
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
      const id = prefixedValue(attributes, 'id');
      const sheetName = attributes.name ?? '';
      const relation = byId.get(id ?? '');
      if (id === '') withoutCells.push(sheetName);
      else if (relation === undefined) missing.push(sheetName);
      else if (relation.type !== 'worksheet') withoutCells.push(sheetName);
      else if (!seen.has(relation.target)) {
        // A part that several sheets name is read once.
        seen.add(relation.target);
        const isHidden = /^(?:hidden|veryHidden)$/.test(attributes.state ?? '');
        sheets.push({ name: sheetName, isHidden, path: relation.target });
      }
    },
  });
  if (root !== 'workbook') throw mismatchFault('XLSX', null);
  return { sheets, withoutCells, missing, from1904 };
}

async function readStyles(archive: ZipArchive, path: string | undefined): Promise<CellStyle[]> {
  const codes = new Map<number, NumberFormat>();
  const boldFonts: boolean[] = [];
  const styles: CellStyle[] = [];
  /** The list that is read: `dxfs` has fonts too, which no cell names. */
  let list = '';
  if (path === undefined) return styles;
  await readXml(archive, path, {
    open: (name, attributes) => {
      if (name === 'fonts' || name === 'cellXfs') list = name;
      else if (name === 'numFmt')
        codes.set(Number(attributes.numFmtId), parseFormat(attributes.formatCode ?? ''));
      else if (list === 'fonts' && name === 'font') boldFonts.push(false);
      else if (list === 'fonts' && name === 'b') {
        boldFonts[boldFonts.length - 1] = attributes.val === undefined || TRUE.test(attributes.val);
      } else if (list === 'cellXfs' && name === 'xf') {
        const id = Number(attributes.numFmtId ?? 0);
        styles.push({
          format: codes.get(id) ?? builtInFormat(id),
          isBold: boldFonts[Number(attributes.fontId ?? 0)] ?? false,
        });
      }
    },
    close: (name) => {
      if (name === list) list = '';
    },
  });
  return styles;
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
    styles: await readStyles(archive, partOf('styles')),
    sharedTexts: await readSharedTexts(archive, partOf('sharedStrings')),
  };
}

/**
 * The most filled rows of one file, in all sheets together. A source has at most 50,000 chunks, and a chunk has room for
 * about five rows of ordinary width.
 */
const MAX_ROWS = 250_000;

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

/** The line of a comment in the text of its row. */
export const commentLine = (cell: string, text: string) => `Comment on ${cell}: ${text.trim()}`;

/**
 * The text of a sheet: a block of lines `Heading: cell` for each row. Rows are packed into parts that become one chunk
 * each, so that each chunk knows its first row.
 */
export class SheetText {
  readonly #place: Readonly<Pick<PartPlace, 'sheet' | 'hidden'>>;
  readonly #parts: PackedParts;
  readonly #budget: RowBudget;
  readonly #grid = new GridReader((record) => this.#write(record));

  /** @param parts the parts of the whole file, to which those of the sheet are added */
  constructor({ name, isHidden }: SheetName, parts: DocumentPart[], budget: RowBudget) {
    this.#place = { sheet: oneLine(name), ...(isHidden && { hidden: true }) };
    this.#parts = new PackedParts(parts, budget);
    this.#budget = budget;
  }

  /**
   * Adds the next filled row.
   * @throws FileFault `too_many_rows`, `too_many_chunks`
   */
  add(row: Row): void {
    this.#budget.addRow();
    this.#grid.add(row);
  }

  /** Ends the sheet. */
  end(): void {
    this.#grid.end();
    this.#parts.end();
  }

  #write(given: GridRecord): void {
    const record = new RecordText();
    addGridRecord(record, given);
    for (const comment of given.comments) record.add('', comment);
    const text = record.toString();
    if (text !== '') this.#parts.add(text, { ...this.#place, row: given.number });
  }
}
