import { shapeOf } from './cell-shape.ts';
import { coveredColumns } from './column-shapes.ts';
import { type Columns, cellsIn, type Row } from './grid-row.ts';
import { findHeadingRow, type TableRow } from './heading-row.ts';
import { type LabelledRow, TableArea } from './table-area.ts';

/** A row, or the cells of one table in it, as it is stored. */
export interface GridRecord extends LabelledRow {
  comments: readonly string[];
}

/** So many rows are compared to find tables and headings, and so many cells at most. */
const COMPARED_ROWS = 40;
const COMPARED_CELLS = 20_000;
/** A row with more cells is not of a table: no program has so many columns, and what is known of each takes memory. */
const MAX_CELLS = 20_000;
/** So many columns are covered by the merged cells of a sheet. Further ones are read as if they were not merged. */
const MAX_COVERED = 2_000_000;
/** With more tables side by side, rows are not divided. */
const MAX_AREAS = 20;

/** Tables that are side by side have an area each. */
interface Area {
  columns: Columns;
  tables: TableArea;
}

const ALL: Columns = { from: 1, to: Number.POSITIVE_INFINITY };

/** The columns with cells, divided where a column is empty. */
function dividedColumns(columns: readonly number[]): Columns[] {
  const divided: Columns[] = [];
  for (const column of columns) {
    const last = divided.at(-1);
    if (last !== undefined && column === last.to + 1) last.to = column;
    else divided.push({ from: column, to: column });
  }
  return divided;
}

function tableRow(row: Row, columns: Columns): TableRow {
  const { headed } = row;
  return {
    number: row.number,
    cells: columns === ALL ? row.cells : cellsIn(row, columns),
    isStated: headed !== undefined && headed.from <= columns.to && headed.to >= columns.from,
    isFrozen: row.isFrozen === true,
  };
}

const tableRows = (rows: readonly Row[], columns: Columns) =>
  rows.map((row) => tableRow(row, columns)).filter(({ cells }) => cells.length > 0);

/**
 * Finds the tables of a sheet while its rows are read, and labels each row with the headings of its columns. It looks at the
 * first rows after each empty one, so its memory does not grow with the sheet.
 */
export class GridReader {
  readonly #write: (record: GridRecord) => void;
  readonly #withOneColumn: boolean;
  #areas: Area[];
  /** The rows that are compared; null if the rows belong to the tables above. */
  #compared: Row[] | null = [];
  #cells = 0;
  /** The comments of rows that are not written yet, by their numbers. */
  readonly #comments = new Map<number, readonly string[]>();
  #covered = 0;
  /** The number of the last row with cells. */
  #last = 0;
  #lastColumn = 0;

  /** @param withOneColumn whether the first row of a table with one column is its heading */
  constructor(write: (record: GridRecord) => void, { withOneColumn = false } = {}) {
    this.#write = write;
    this.#withOneColumn = withOneColumn;
    this.#areas = [{ columns: ALL, tables: new TableArea(withOneColumn) }];
  }

  /** Adds the next row. Empty rows are left out: the numbers of the others tell where they are. */
  add(given: Row): void {
    const row = this.#withBoundedSpans(given);
    if (row.cells.length > MAX_CELLS) {
      this.#compare();
      this.#write({ number: row.number, cells: row.cells, labels: null, comments: row.comments });
      return;
    }
    const isFilled = row.cells.length > 0;
    if (isFilled && this.#mayBegin(row)) {
      this.#compare();
      this.#compared = [];
    }
    if (isFilled) this.#last = row.number;
    if (this.#compared === null) {
      this.#writeNext(row);
      return;
    }
    this.#compared.push(row);
    this.#cells += row.cells.length;
    if (this.#compared.length >= COMPARED_ROWS || this.#cells >= COMPARED_CELLS) this.#compare();
  }

  #withBoundedSpans(row: Row): Row {
    for (const { span = 1 } of row.cells) this.#covered += span - 1;
    if (this.#covered <= MAX_COVERED) return row;
    return { ...row, cells: row.cells.map((cell) => ({ ...cell, span: 1 })) };
  }

  /** Ends the sheet. */
  end(): void {
    this.#compare();
    for (const { tables } of this.#areas) {
      for (const row of tables.takeWaiting()) this.#writeCompared(row);
    }
    // What is left are those on headings.
    for (const [number, comments] of this.#comments) {
      if (comments.length > 0) this.#write({ number, cells: [], labels: null, comments });
    }
  }

  /** Writes a row that was compared, with its comments. */
  #writeCompared(row: LabelledRow): void {
    const comments = this.#comments.get(row.number) ?? [];
    this.#comments.delete(row.number);
    this.#write({ ...row, comments });
  }

  /** Whether a table can begin with a row. */
  #mayBegin(row: Row): boolean {
    if (row.number > this.#last + 1) return true;
    if (this.#compared !== null) return false;
    if (row.headed !== undefined) return true;
    const lastColumn = row.cells.at(-1)?.column ?? 0;
    if (lastColumn > this.#lastColumn + 1) return true;
    if (this.#areas.length === 1) return false;
    return this.#areas.some(
      ({ columns, tables }) => row.number > tables.last + 1 && cellsIn(row, columns).length > 0,
    );
  }

  /** Writes a row that belongs to the tables above. */
  #writeNext(row: Row): void {
    let isWritten = false;
    let comments = row.comments;
    for (const { columns, tables } of this.#areas) {
      const cells = columns === ALL ? row.cells : cellsIn(row, columns);
      if (cells.length === 0) continue;
      const labels = tables.labelsOfNext(row.number, cells);
      if (labels === undefined) continue;
      this.#write({ number: row.number, cells, labels, comments });
      isWritten = true;
      comments = [];
    }
    if (!isWritten && comments.length > 0) {
      this.#write({ number: row.number, cells: [], labels: null, comments });
    }
  }

  /** Labels and writes the rows that were compared. */
  #compare(): void {
    const rows = this.#compared ?? [];
    this.#compared = null;
    this.#cells = 0;
    if (rows.length === 0) return;
    const filled = rows.filter(({ cells }) => cells.length > 0);
    if (filled.length > 0) this.#divide(filled);
    const labelled = this.#areas.flatMap(({ columns, tables }) => tables.label(tableRows(filled, columns)));
    const byNumber = Map.groupBy(labelled, ({ number }) => number);
    for (const { number, comments } of rows) this.#comments.set(number, comments);
    const numbers = new Set([...byNumber.keys(), ...this.#comments.keys()]);
    for (const number of [...numbers].sort((one, other) => one - other)) {
      if (this.#areas.some(({ tables }) => tables.isWaiting(number))) {
        // The comments are for what waits. What another table has in the row does not wait.
        for (const record of byNumber.get(number) ?? []) this.#write({ ...record, comments: [] });
        continue;
      }
      const records = byNumber.get(number) ?? [{ number, cells: [], labels: null }];
      for (const record of records.slice(0, -1)) this.#write({ ...record, comments: [] });
      const last = records.at(-1);
      const hasComments = (this.#comments.get(number)?.length ?? 0) > 0;
      if (last !== undefined && (last.cells.length > 0 || hasComments)) this.#writeCompared(last);
      this.#comments.delete(number);
    }
  }

  /** Divides the columns where tables are side by side. */
  #divide(rows: readonly Row[]): void {
    const covered = coveredColumns(rows.map(({ cells }) => cells));
    const divided = dividedColumns(covered);
    this.#lastColumn = Math.max(this.#lastColumn, covered.at(-1) ?? 0);
    const areaOf = ({ from, to }: Columns) =>
      this.#areas.find(({ columns }) => from >= columns.from && to <= columns.to);
    const isKept = this.#areas.length > 1 && divided.every((columns) => areaOf(columns) !== undefined);
    if (isKept) return;
    const areas = this.#independent(divided, rows) ? this.#areasOf(divided) : [ALL];
    if (areas.length === 1 && this.#areas.length === 1) return;
    this.#areas = areas.map((columns) => {
      const before = areaOf(columns) ?? this.#areas[0];
      for (const row of before?.tables.takeWaiting() ?? []) this.#writeCompared(row);
      return { columns, tables: new TableArea(this.#withOneColumn, before?.tables) };
    });
  }

  /** The areas of tables: each reaches to the next one. */
  #areasOf(divided: readonly Columns[]): Columns[] {
    return divided.map(({ from }, index) => ({
      from: index === 0 ? 1 : from,
      to: (divided[index + 1]?.from ?? Number.POSITIVE_INFINITY) - 1,
    }));
  }

  /**
   * Whether the parts of a sheet that empty columns divide are tables of their own. Empty columns can also divide the
   * columns of one table, whose parts have their headings in the same row and no text that names their rows.
   */
  #independent(divided: readonly Columns[], rows: readonly Row[]): boolean {
    if (divided.length < 2 || divided.length > MAX_AREAS) return false;
    if (divided.some(({ from, to }) => to === from)) return false;
    const heads = divided.map((columns) => {
      const own = tableRows(rows, columns);
      const base = findHeadingRow(own, { needsEvidence: false, withOneColumn: false });
      return { head: own[base], below: own[base + 1] };
    });
    const [left] = heads;
    const goesOn = left?.head === undefined && this.#last > 0 && this.#areas[0]?.tables.last !== 0;
    return heads.every(({ head, below }, index) => {
      if (head === undefined) return index === 0 && goesOn;
      if (index === 0 || head.number !== left?.head?.number) return true;
      const [first] = below?.cells ?? [];
      return first !== undefined && ['text', 'code', 'date'].includes(shapeOf(first));
    });
  }
}
