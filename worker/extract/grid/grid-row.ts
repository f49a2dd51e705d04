/** The rows of a table as all formats of tables give them: workbooks, spreadsheets, and text with delimiters. */

/** A filled cell. */
export interface Cell {
  /** From 1. */
  column: number;
  text: string;
  kind: 'text' | 'number' | 'date' | 'other';
  /** How many columns it covers, if the file says that it is merged. */
  span?: number;
  /** Whether it is bold. */
  bold?: boolean;
}

/** The first and the last column of something, from 1. */
export interface Columns {
  from: number;
  to: number;
}

/** A row with at least one filled cell or comment. */
export interface Row {
  /** From 1, as the program shows it. */
  number: number;
  /** In the order of the columns. */
  cells: readonly Cell[];
  /** The comments on cells of the row. */
  comments: readonly string[];
  /** The columns in which the file says that the row has headings: a table or a filter begins there. */
  headed?: Columns;
  /** Whether the row is the last one that stays visible when the sheet is scrolled. */
  isFrozen?: boolean;
}

/** The last column of a cell: it is further right than its first one if the cell is merged. */
export const lastColumn = ({ column, span = 1 }: Cell) => column + span - 1;

/** The cells of a row that begin in some columns. */
export const cellsIn = (row: Row, { from, to }: Columns) =>
  row.cells.filter(({ column }) => column >= from && column <= to);
