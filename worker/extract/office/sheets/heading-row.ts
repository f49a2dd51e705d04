/** A filled cell. */
export interface Cell {
  /** From 1. */
  column: number;
  text: string;
  kind: 'text' | 'number' | 'date' | 'other';
}

/** A row with at least one filled cell or comment. */
export interface Row {
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
export function findHeadingRow(first: readonly Row[]): number {
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
