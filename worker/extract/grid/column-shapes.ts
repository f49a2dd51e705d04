import { isValue, isYear, patternOf, type Shape, shapeOf } from './cell-shape.ts';
import { type Cell, lastColumn } from './grid-row.ts';

/** The share of the cells of a column that must have the same shape, so that it is the shape of the column. */
const MOST = 0.7;
/** The share of rows that must be as wide as a table, so that a few long rows do not count. */
const WIDE_ROWS = 0.2;

const DECIMALS = /[.,]\d/;

interface Column {
  shapes: Map<Shape, number>;
  patterns: Map<string, number>;
  filled: number;
  years: number;
  decimals: number;
}

const countIn = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** What the cells of each column look like, in rows that are added one by one. */
export class ColumnShapes {
  readonly #columns = new Map<number, Column>();
  /** How many rows have so many cells. */
  readonly #widths = new Map<number, number>();
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  add(cells: readonly Cell[]): void {
    this.#rows += 1;
    countIn(this.#widths, cells.length);
    for (const cell of cells) {
      const column = this.#columns.get(cell.column) ?? {
        shapes: new Map(),
        patterns: new Map(),
        filled: 0,
        years: 0,
        decimals: 0,
      };
      this.#columns.set(cell.column, column);
      const shape = shapeOf(cell);
      if (shape === 'blank') continue;
      column.filled += 1;
      countIn(column.shapes, shape);
      if (shape === 'code') countIn(column.patterns, patternOf(cell.text));
      if (shape === 'number' && isYear(cell.text)) column.years += 1;
      if (shape === 'number' && DECIMALS.test(cell.text)) column.decimals += 1;
    }
  }

  /** The shape of most cells of a column. */
  of(column: number): Shape | undefined {
    const found = this.#columns.get(column);
    if (found === undefined) return undefined;
    return [...found.shapes].find(([, count]) => count >= found.filled * MOST)?.[0];
  }

  /** Whether a column has values of several shapes, as the second one of a form has. */
  isMixed(column: number): boolean {
    const values = [...(this.#columns.get(column)?.shapes.keys() ?? [])].filter(isValue);
    return values.length > 1 && this.of(column) === undefined;
  }

  /** How many cells of a column have a value. */
  filledIn(column: number): number {
    return this.#columns.get(column)?.filled ?? 0;
  }

  /** Whether most cells of a column follow a pattern. */
  follows(column: number, pattern: string): boolean {
    const count = this.#columns.get(column)?.patterns.get(pattern) ?? 0;
    return count > 0 && count >= this.filledIn(column) * MOST;
  }

  /** Whether most cells of a column are years. */
  areYears(column: number): boolean {
    const years = this.#columns.get(column)?.years ?? 0;
    return years > 0 && years >= this.filledIn(column) * MOST;
  }

  /** Whether most cells of a column are numbers with decimals. */
  areDecimals(column: number): boolean {
    const decimals = this.#columns.get(column)?.decimals ?? 0;
    return decimals > 0 && decimals >= this.filledIn(column) * MOST;
  }

  /** The columns with a cell, in order. */
  columns(): number[] {
    return [...this.#columns.keys()].sort((one, other) => one - other);
  }

  /** How many cells the wide rows have at least. */
  width(): number {
    let rows = 0;
    for (const [width, count] of [...this.#widths].sort(([one], [other]) => other - one)) {
      rows += count;
      if (rows >= this.#rows * WIDE_ROWS) return width;
    }
    return 0;
  }
}

/** The columns that rows have cells in, in order, also those that merged cells cover. */
export function coveredColumns(rows: Iterable<readonly Cell[]>): number[] {
  const covered = new Set<number>();
  for (const cells of rows) {
    // Merged cells of a damaged file can overlap: no column of a row is counted twice.
    let last = 0;
    for (const cell of cells) {
      for (let column = Math.max(cell.column, last + 1); column <= lastColumn(cell); column++) {
        covered.add(column);
      }
      last = Math.max(last, lastColumn(cell));
    }
  }
  return [...covered].sort((one, other) => one - other);
}
