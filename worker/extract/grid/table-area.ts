import { isValue, isYear, shapeOf } from './cell-shape.ts';
import { ColumnShapes } from './column-shapes.ts';
import type { Cell } from './grid-row.ts';
import { findHeadingRow, type HeadingOptions, isBold, type TableRow } from './heading-row.ts';
import { findHeadings, type Headings, headingsAt, MAX_LABEL_LENGTH } from './headings.ts';

/** The headings of columns, by the number of the column. */
export type Labels = ReadonlyMap<number, string>;

/** A row as it is stored: with the headings of its columns, or without. */
export interface LabelledRow {
  number: number;
  cells: readonly Cell[];
  labels: Labels | null;
}

/** A table whose headings are known. */
interface Table {
  labels: Labels;
  /** What its first rows look like. */
  shapes: ColumnShapes;
  /** Its rows of headings: some programs repeat them on each page. */
  headings: readonly TableRow[];
  /** Whether a line above the headings has its title. */
  hasTitle: boolean;
}

/** So many empty rows end a table. A single one can also be between the rows of a table. */
const ENDING_ROWS = 2;
/** With fewer rows, text below a table is not a table of its own unless its headings differ from the rows below them. */
const TABLE_ROWS = 3;
/** A form above a table has at most so many rows. */
const FORM_ROWS = 8;
/** So many columns of a row of headings that an empty row follows must have one. */
const FULL = 0.75;
/** A text of so many words after an empty row, or of so many characters, is a note below the table. */
const NOTE_WORDS = 3;
const NOTE_LENGTH = 60;
/** So many rows of one piece are checked for headings of a second table without an empty row above. */
const MAX_CHECKED_ROWS = 5;

/** Rows without an empty one between them. */
function runsOf(rows: readonly TableRow[]): TableRow[][] {
  const runs: TableRow[][] = [];
  let last = Number.NaN;
  for (const row of rows) {
    const run = runs.at(-1);
    if (run === undefined || row.number !== last + 1) runs.push([row]);
    else run.push(row);
    last = row.number;
  }
  return runs;
}

const plain = ({ number, cells }: TableRow): LabelledRow => ({ number, cells, labels: null });

/** Whether rows can be a form: names, and values of different kinds beside them. */
function canBeForm(run: readonly TableRow[]): boolean {
  if (run.length < 2 || run.length > FORM_ROWS || run.some(({ isStated }) => isStated)) return false;
  const [name, value] = run[0]?.cells ?? [];
  if (name === undefined || value === undefined) return false;
  const isPair = ({ cells }: TableRow) =>
    cells.length <= 2 &&
    cells[0]?.column === name.column &&
    (cells[1]?.column ?? value.column) === value.column;
  const shapes = new ColumnShapes();
  for (const { cells } of run.slice(1)) shapes.add(cells);
  const isTable = shapes.filledIn(value.column) > 1 && isValue(shapes.of(value.column));
  return run.every(isPair) && !isTable && !run.some(isBold);
}

/** A row of a form: its name ends with a colon, as it does in most forms. */
function formRow({ number, cells }: TableRow): LabelledRow {
  const [name, ...values] = cells;
  if (name === undefined || values.length === 0) return { number, cells, labels: null };
  const text = `${name.text.trim().replace(/:$/, '')}:`;
  return { number, cells: [{ ...name, text }, ...values], labels: null };
}

const isTextual = (cell: Cell) => {
  const shape = shapeOf(cell);
  return shape === 'text' || shape === 'code' || isYear(cell.text);
};

/** Whether a row can be one of headings that an empty row separates from their table. */
const canHeadLater = ({ cells }: TableRow) =>
  cells.length > 1 && cells.every((cell) => isTextual(cell) && !cell.text.trim().endsWith(':'));

const areEqual = (one: readonly Cell[], other: readonly Cell[]) =>
  one.length === other.length &&
  one.every((cell, index) => cell.text === other[index]?.text && cell.column === other[index]?.column);

/** The tables in some columns of a sheet, one below the other. It is given the rows in pieces, and knows the last headings. */
export class TableArea {
  readonly #withOneColumn: boolean;
  #table: Table | null;
  /** Whether the last rows belong to the table. */
  #inTable = false;
  /** The number of the last row; 0 before the first. */
  #last: number;
  /** A row that names the columns of the table below the next empty rows, or is a line above it. */
  #waiting: TableRow | null = null;
  /** Rows that are a form if a wider table is below them, and else a table. */
  #form: readonly TableRow[] | null = null;

  constructor(withOneColumn: boolean, before?: TableArea) {
    this.#withOneColumn = withOneColumn;
    this.#table = before === undefined ? null : before.#table;
    this.#inTable = before === undefined ? false : before.#inTable;
    this.#last = before === undefined ? 0 : before.#last;
  }

  /** The number of the last row. */
  get last(): number {
    return this.#last;
  }

  /** Whether a row waits for what is below it. */
  isWaiting(number: number): boolean {
    return this.#waiting?.number === number || (this.#form?.some((row) => row.number === number) ?? false);
  }

  /** The rows that wait for what is below them, if there are some. */
  takeWaiting(): LabelledRow[] {
    const out = this.#takeRow();
    const form = this.#form;
    this.#form = null;
    if (form !== null) {
      this.#labelRun(form, ENDING_ROWS, out);
      out.push(...this.#takeRow());
    }
    return out;
  }

  #takeRow(): LabelledRow[] {
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting === null ? [] : [plain(waiting)];
  }

  /** Finds the tables in a piece of the area, and labels its rows. Rows of headings are left out. */
  label(rows: readonly TableRow[]): LabelledRow[] {
    const out: LabelledRow[] = [];
    for (const run of runsOf(rows)) {
      const emptyRows = (run[0]?.number ?? 0) - this.#last - 1;
      const form = this.#form;
      if (form !== null) {
        this.#form = null;
        const isWider = run.some(({ cells }) => cells.length > 2);
        if (isWider && emptyRows < ENDING_ROWS) out.push(...form.map(formRow));
        else this.#labelRun(form, ENDING_ROWS, out);
      }
      this.#last = run.at(-1)?.number ?? this.#last;
      // The lines of a form can have an empty row between them.
      const lines = this.#waiting === null ? run : [this.#waiting, ...run];
      if (this.#table === null && canBeForm(lines)) {
        this.#form = lines;
        this.#waiting = null;
      } else this.#labelRun(run, emptyRows, out);
    }
    return out;
  }

  /** The labels of the next row below those of the last piece; undefined for a repeated row of headings. */
  labelsOfNext(number: number, cells: readonly Cell[]): Labels | null | undefined {
    this.#last = number;
    if (this.#table === null || !this.#inTable) return null;
    if (this.#isRepeated(cells)) return undefined;
    return this.#isNote(cells, false) ? null : this.#table.labels;
  }

  #isRepeated(cells: readonly Cell[]): boolean {
    for (const heading of this.#table?.headings ?? []) if (areEqual(heading.cells, cells)) return true;
    return false;
  }

  #labelRun(run: readonly TableRow[], emptyRows: number, out: LabelledRow[]): void {
    if (emptyRows === 0 && this.#table !== null && !run.some(({ isStated }) => isStated)) {
      this.#writeRows(run, false, out);
      return;
    }
    const belongs = this.#table !== null && emptyRows < ENDING_ROWS && this.#fits(run);
    const isTitled = this.#table?.hasTitle === true && run[0]?.cells.length === 1;
    const needsEvidence = this.#table !== null && ((belongs && !isTitled) || run.length < TABLE_ROWS);
    const options: HeadingOptions = { needsEvidence, withOneColumn: this.#withOneColumn };
    const own = findHeadings(run, { ...options, needsEvidence: needsEvidence || this.#waiting !== null });
    const found = own ?? this.#headingsOfWaiting(run);
    if (own === null && found !== null) {
      const waiting = this.#waiting;
      this.#waiting = null;
      if (waiting !== null) this.#begin([waiting, ...run], found, out);
      return;
    }
    out.push(...this.#takeRow());
    const headings = own ?? findHeadings(run, options);
    if (headings !== null) this.#begin(run, headings, out);
    else if (belongs || (this.#table !== null && this.#fits(run))) this.#writeRows(run, true, out);
    else {
      this.#inTable = false;
      const [only] = run;
      if (run.length === 1 && only !== undefined && canHeadLater(only)) this.#waiting = only;
      else out.push(...run.map(plain));
    }
  }

  /** The headings of a run, if the row that waits has them. */
  #headingsOfWaiting(run: readonly TableRow[]): Headings | null {
    const waiting = this.#waiting;
    if (waiting === null) return null;
    const widest = Math.max(...run.map(({ cells }) => cells.length));
    if (waiting.cells.length < widest * FULL) return null;
    const rows = [waiting, ...run];
    const needsEvidence = this.#table !== null;
    const base = findHeadingRow(rows, { needsEvidence, withOneColumn: false });
    return base === 0 ? headingsAt(rows, 0) : null;
  }

  /** Begins a table: what is above its headings has none. */
  #begin(run: readonly TableRow[], { first, last, labels }: Headings, out: LabelledRow[]): void {
    out.push(...run.slice(0, first).map(plain));
    const headings = run.slice(first, last + 1);
    const rows = run.slice(last + 1);
    const shapes = new ColumnShapes();
    const hasTitle = run[first - 1]?.cells.length === 1;
    this.#table = { labels, shapes, headings, hasTitle };
    this.#inTable = true;
    // A row that repeats the headings is not stored, and does not tell them.
    for (const { cells } of rows) if (!this.#isRepeated(cells)) shapes.add(cells);
    out.push(...this.#unusedHeadings(headings, labels, shapes));
    this.#writeRows(rows, false, out);
  }

  /** The rows of headings themselves, if no row repeats some of them in full: so each of them can be found. */
  #unusedHeadings(headings: readonly TableRow[], labels: Labels, shapes: ColumnShapes): LabelledRow[] {
    const columns = new Set(shapes.columns());
    const areUsed = [...labels.keys()].every((column) => columns.has(column));
    const isCut = headings.some(({ cells }) => cells.some(({ text }) => text.length > MAX_LABEL_LENGTH));
    if (areUsed && !isCut) return [];
    return headings.map(({ number, cells }) => {
      const text = cells.map((cell) => cell.text.trim()).join(' | ');
      return { number, cells: [{ column: 1, text, kind: 'text' }], labels: null };
    });
  }

  #writeRows(rows: readonly TableRow[], isAfterEmpty: boolean, out: LabelledRow[]): void {
    this.#inTable = true;
    let checked = 0;
    for (const [index, row] of rows.entries()) {
      if (index > 0 && checked < MAX_CHECKED_ROWS && this.#breaksTable(row)) {
        checked += 1;
        const rest = rows.slice(index);
        const headings = this.#headingsWithin(rest, rows[index - 1]);
        if (headings !== null) {
          this.#begin(rest, headings, out);
          return;
        }
      }
      if (this.#isRepeated(row.cells)) continue;
      const labels = this.#isNote(row.cells, isAfterEmpty) ? null : (this.#table?.labels ?? null);
      out.push({ number: row.number, cells: row.cells, labels });
    }
  }

  /** Whether a row has text only, and some of it where the table has values. */
  #breaksTable({ cells, isStated }: TableRow): boolean {
    if (isStated) return true;
    const table = this.#table;
    if (table === null || cells.length < 2 || !cells.every(isTextual)) return false;
    return cells.some(({ column }) => isValue(table.shapes.of(column)) || !table.labels.has(column));
  }

  /** The headings of a second table that begins without an empty row. */
  #headingsWithin(rest: readonly TableRow[], above: TableRow | undefined): Headings | null {
    const [row] = rest;
    if (row === undefined) return null;
    const isWider = row.cells.some(({ column }) => this.#table?.labels.has(column) === false);
    const isBelowTitle = above?.cells.length === 1;
    if (!(row.isStated || isBold(row) || isWider || isBelowTitle)) return null;
    const base = findHeadingRow(rest, { needsEvidence: true, withOneColumn: false });
    return base === 0 ? headingsAt(rest, 0) : null;
  }

  /** Whether rows have the columns of the table, and look like its rows. */
  #fits(run: readonly TableRow[]): boolean {
    const table = this.#table;
    if (table === null) return false;
    const own = new ColumnShapes();
    for (const { cells } of run) own.add(cells);
    const columns = own.columns();
    let [equal, different, unknown] = [0, 0, 0];
    for (const column of columns) {
      const [above, shape] = [table.shapes.of(column), own.of(column)];
      if (!table.labels.has(column)) unknown += 1;
      else if (above === undefined || shape === undefined) continue;
      else if (above === shape) equal += 1;
      else if (isValue(above) !== isValue(shape)) different += 1;
    }
    return unknown * 2 < columns.length && (different === 0 || equal > different);
  }

  /** Whether a row is a note or a title across the table, and not one of its rows. */
  #isNote(cells: readonly Cell[], isAfterEmpty: boolean): boolean {
    if (cells.length !== 1) return false;
    const width = this.#table?.labels.size ?? 0;
    const [cell] = cells;
    if (width < 2 || cell === undefined) return false;
    const { text, span = 1 } = cell;
    if (span > 2 && span * 2 > width) return true;
    if (!isTextual(cell)) return false;
    if (width > 2 && text.length > NOTE_LENGTH) return true;
    return isAfterEmpty && text.slice(0, NOTE_LENGTH).trim().split(' ').length >= NOTE_WORDS;
  }
}
