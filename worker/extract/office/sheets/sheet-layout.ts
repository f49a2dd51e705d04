import { FileFault } from '../../extraction.ts';
import type { Columns } from '../../grid/grid-row.ts';
import type { Relation } from '../package.ts';
import { readXml, type XmlHandler } from '../xml.ts';
import type { ZipArchive } from '../zip-archive.ts';
import { type CellPosition, parseReference } from './cells.ts';

/* What a workbook says of the cells of a sheet apart from the cells: which are merged, and where tables begin. */

/** What is known of a sheet before its cells are read. */
export interface SheetLayout {
  /** How many columns merged cells cover, by row and first column. */
  spans: Map<number, Map<number, number>>;
  /** The columns in which a row has the headings of a table, by row. */
  headed: Map<number, Columns>;
}

/** So many merged cells and tables are read. */
const MAX_RANGES = 50_000;
/** So much of two pieces is searched together, for an element that both have a part of: it is shorter. */
const MAX_ELEMENT_LENGTH = 500;
/** What is sought is behind the cells, so most pieces have none of these texts. */
const ELEMENTS = ['mergeCell ', 'autoFilter '];
const RANGE =
  /<(?:\w{1,20}:)?(mergeCell|autoFilter) [^<>]{0,300}?ref=["']([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})["']/g;
const REFERENCES = /^([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})$/;

interface Range {
  from: CellPosition;
  to: CellPosition;
}

/** Reads a range of cells such as `A3:E50`; null if no sheet has it. */
function rangeOf(first: string, last: string): Range | null {
  try {
    const range = { from: parseReference(first), to: parseReference(last) };
    return range.to.row >= range.from.row && range.to.column >= range.from.column ? range : null;
  } catch {
    return null;
  }
}

function addSpan({ spans }: SheetLayout, { from, to }: Range): void {
  if (from.column === to.column) return;
  const ofRow = spans.get(from.row) ?? new Map<number, number>();
  spans.set(from.row, ofRow.set(from.column, to.column - from.column + 1));
}

function addHeaded({ headed }: SheetLayout, { from, to }: Range): void {
  if (from.row === to.row) return;
  const known = headed.get(from.row) ?? { from: from.column, to: to.column };
  headed.set(from.row, {
    from: Math.min(known.from, from.column),
    to: Math.max(known.to, to.column),
  });
}

/**
 * Finds merged cells and the filter of a sheet. They come after its cells, and are needed before: so its part is unpacked
 * twice. It is searched as text, because parsing it twice would take far longer.
 */
async function readRanges(archive: ZipArchive, sheet: string, layout: SheetLayout): Promise<void> {
  let found = 0;
  let before: Uint8Array = new Uint8Array();
  for await (const piece of archive.readPieces(sheet)) {
    const seam = Buffer.concat([before, piece.subarray(0, MAX_ELEMENT_LENGTH)]);
    for (const bytes of [seam, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)]) {
      if (!ELEMENTS.some((element) => bytes.includes(element))) continue;
      // A range in the seam can be found twice, which changes nothing.
      for (const [, element, first = '', last = ''] of bytes.toString('latin1').matchAll(RANGE)) {
        found += 1;
        const range = rangeOf(first, last);
        if (range === null || found > MAX_RANGES) continue;
        if (element === 'mergeCell') addSpan(layout, range);
        else addHeaded(layout, range);
      }
    }
    before = piece.subarray(-MAX_ELEMENT_LENGTH);
  }
}

function ignoreDamage(error: unknown): void {
  if (!(error instanceof FileFault && error.code === 'corrupt')) throw error;
}

/** Finds where the tables of a sheet have their headings. */
async function readTables(
  archive: ZipArchive,
  relations: readonly Relation[],
  layout: SheetLayout,
): Promise<void> {
  const targets = relations.filter(({ type }) => type === 'table').map(({ target }) => target);
  for (const target of new Set(targets)) {
    const handler: XmlHandler = {
      open: (name, { ref = '', headerRowCount = '1' }) => {
        if (name !== 'table' || headerRowCount === '0') return;
        const [, first, last] = REFERENCES.exec(ref) ?? [];
        const range = first === undefined || last === undefined ? null : rangeOf(first, last);
        if (range !== null) addHeaded(layout, range);
      },
    };
    // The part has no text that the sheet lacks, so a damaged one loses nothing.
    await readXml(archive, target, handler).catch(ignoreDamage);
  }
}

/**
 * Reads what is known of a sheet before its cells are read.
 * @throws FileFault `corrupt`, and those of the archive
 */
export async function readLayout(
  archive: ZipArchive,
  sheet: string,
  relations: readonly Relation[],
): Promise<SheetLayout> {
  const layout: SheetLayout = { spans: new Map(), headed: new Map() };
  await readTables(archive, relations, layout);
  await readRanges(archive, sheet, layout);
  return layout;
}
