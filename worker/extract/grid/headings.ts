import { oneLine } from '../text.ts';
import { isYear, shapeOf } from './cell-shape.ts';
import { ColumnShapes, coveredColumns } from './column-shapes.ts';
import { type Cell, type Columns, lastColumn } from './grid-row.ts';
import { findHeadingRow, type HeadingOptions, isBold, type TableRow } from './heading-row.ts';

/* Joins the headings of several rows, and those that merged cells have over several columns. */

/** The headings of a table. */
export interface Headings {
  /** The indexes of its first and its last row of headings. */
  first: number;
  last: number;
  /** By the number of the column. */
  labels: Map<number, string>;
}

/** Every row repeats its headings, so a longer one is cut. */
export const MAX_LABEL_LENGTH = 200;
/** So many rows above the one that names most columns can have headings of groups. */
const MAX_ROWS_ABOVE = 2;
/** A longer text is no heading of a group of columns. */
const LONG_GROUP = 100;
/** A unit: a short word, or a text in brackets. */
const BRACKETED = /^(?:\[[^\]]{1,16}\]|\([^)]{1,16}\))$/;
const SHORT_UNIT = /^(?:.{1,4}|[^\s/]{1,8}\/[^\s/]{1,8})$/u;

/** Cuts a heading to its greatest length. */
const toLabel = (text: string) =>
  oneLine(text.slice(0, MAX_LABEL_LENGTH * 2))
    .slice(0, MAX_LABEL_LENGTH)
    .trimEnd();

const columnsOf = (cells: readonly Cell[]) => new Set(cells.map(({ column }) => column));

/** The cells of one row of headings, with the columns that each of them is the heading of. */
type HeadingRow = { cell: Cell; columns: Columns }[];

const ownColumns = (cells: readonly Cell[]): HeadingRow =>
  cells.map((cell) => ({ cell, columns: { from: cell.column, to: lastColumn(cell) } }));

/** Each cell is the heading of the columns up to the next cell, where no merged cells say it. */
function spreadColumns(cells: readonly Cell[], below: ReadonlySet<number>, last: number): HeadingRow {
  return cells.map((cell, index) => {
    const next = cells[index + 1]?.column ?? last + 1;
    const to = below.has(cell.column) ? Math.max(cell.column, next - 1) : cell.column;
    return { cell, columns: { from: cell.column, to } };
  });
}

/** Whether a cell can be the heading of a group of columns, and is not of a line above the table. */
function canBeGroup(cell: Cell): boolean {
  const shape = shapeOf(cell);
  const isPlain = shape === 'text' || shape === 'code' || shape === 'date' || isYear(cell.text);
  return isPlain && cell.text.length <= LONG_GROUP && !cell.text.trim().endsWith(':');
}

/** The headings of groups of columns in the row above a row of headings; null if it has others. */
function groupsAbove(above: TableRow, row: TableRow, body: ColumnShapes, last: number): HeadingRow | null {
  if (above.number !== row.number - 1 || !above.cells.every(canBeGroup)) return null;
  const named = new Set(coveredColumns([row.cells]));
  const [first = 0] = body.columns();
  if (above.cells.some(({ span = 1 }) => span > 1)) {
    const isTitle = above.cells.some(
      (cell) => cell.column <= first && (lastColumn(cell) - first + 1) * 2 > last - first + 1,
    );
    return isTitle ? null : ownColumns(above.cells);
  }
  if (above.cells.length < 2 || (isBold(row) && !isBold(above))) return null;
  const texts = new Set(row.cells.map(({ text }) => text.trim()));
  const fillsHoles = above.cells.some(({ column }) => !named.has(column) && body.filledIn(column) > 0);
  const isGrouped = texts.size < row.cells.length && above.cells.length < row.cells.length;
  return fillsHoles || isGrouped ? spreadColumns(above.cells, named, last) : null;
}

/** Whether a row below the headings has the units of their columns. */
function hasUnits(below: TableRow, row: TableRow, body: ColumnShapes): boolean {
  const named = columnsOf(row.cells);
  const filled = below.cells.filter((cell) => shapeOf(cell) !== 'blank');
  return (
    filled.length > 0 &&
    filled.every((cell) => {
      const shape = shapeOf(cell);
      const isNumeric = body.of(cell.column) === 'number';
      const isText = shape === 'text' || shape === 'code';
      const text = cell.text.trim();
      const isUnit = BRACKETED.test(text) || (isNumeric && SHORT_UNIT.test(text));
      return isText && named.has(cell.column) && isUnit;
    })
  );
}

/** Whether a row below the headings has headings of its own, of columns that those above share. */
function hasPartHeadings(below: TableRow, row: TableRow, body: ColumnShapes): boolean {
  if (below.cells.length < 2 || !below.cells.every(canBeGroup)) return false;
  const merged = row.cells.filter(({ span = 1 }) => span > 1);
  const covered = new Set(coveredColumns([merged]));
  const isUnder = ({ column }: Cell) => covered.has(column);
  if (merged.length > 0 && below.cells.every(isUnder)) return true;
  const named = columnsOf(row.cells);
  const [first = 0] = body.columns();
  const hasOwn = below.cells.some((cell) => (merged.length > 0 ? isUnder(cell) : !named.has(cell.column)));
  const isNameless = named.has(first) && !columnsOf(below.cells).has(first);
  return hasOwn && isNameless && body.filledIn(first) * 2 > body.rows;
}

function labelsOf(rows: readonly HeadingRow[]): Map<number, string> {
  const texts = new Map<number, string[]>();
  for (const row of rows) {
    for (const [index, { cell, columns }] of row.entries()) {
      const text = toLabel(cell.text);
      // Merged cells of a damaged file can overlap: no column of a row is named twice.
      const end = (row[index + 1]?.columns.from ?? Number.POSITIVE_INFINITY) - 1;
      for (let column = columns.from; column <= Math.min(columns.to, end); column++) {
        const list = texts.get(column) ?? [];
        if (text !== '' && list.at(-1) !== text) list.push(text);
        texts.set(column, list);
      }
    }
  }
  return new Map([...texts].map(([column, list]) => [column, toLabel(list.join(' '))]));
}

/** The headings that begin with a row, or end with it. */
export function headingsAt(rows: readonly TableRow[], base: number): Headings {
  const row = rows[base];
  if (row === undefined) return { first: base, last: base, labels: new Map() };
  const body = new ColumnShapes();
  for (const each of rows.slice(base + 2)) body.add(each.cells);
  const below = rows[base + 1];
  const isNext = below !== undefined && below.number === row.number + 1 && body.rows > 0;
  const hasUnitRow = isNext && hasUnits(below, row, body);
  const hasParts = isNext && !hasUnitRow && hasPartHeadings(below, row, body);
  const last = hasUnitRow || hasParts ? base + 1 : base;
  if (last === base && below !== undefined) body.add(below.cells);

  const found: HeadingRow[] = [];
  if (hasParts) {
    const columns = coveredColumns([row.cells, below.cells]);
    found.push(
      row.cells.some(({ span = 1 }) => span > 1)
        ? ownColumns(row.cells)
        : spreadColumns(row.cells, columnsOf(below.cells), columns.at(-1) ?? 0),
    );
  } else found.push(ownColumns(row.cells));
  if (last > base && below !== undefined) {
    found.push(ownColumns(below.cells.filter((cell) => shapeOf(cell) !== 'blank')));
  }
  let first = base;
  const lastNamed = coveredColumns([row.cells]).at(-1) ?? 0;
  while (first > 0 && base - first < MAX_ROWS_ABOVE) {
    const above = rows[first - 1];
    const lowest = rows[first];
    const groups =
      above === undefined || lowest === undefined ? null : groupsAbove(above, lowest, body, lastNamed);
    if (groups === null) break;
    found.unshift(groups);
    first -= 1;
  }
  return { first, last, labels: labelsOf(found) };
}

/** Finds the headings of a table; null if it has none. */
export function findHeadings(rows: readonly TableRow[], options: HeadingOptions): Headings | null {
  const base = findHeadingRow(rows, options);
  return base < 0 ? null : headingsAt(rows, base);
}
