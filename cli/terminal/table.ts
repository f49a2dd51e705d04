import { cell, columns, fit, oneLine } from './columns.ts';
import { bold, outputWidth } from './output.ts';

/** A column of a table. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  /** Whether its texts can be cut off in a narrow terminal. Ids and times cannot. */
  canShrink?: true;
}

const GAP = '  ';
/** A column is not made narrower than this. */
const MIN_COLUMNS = 8;

/** Makes the widest of the columns that can shrink narrower, until the table fits or nothing can shrink further. */
function shrink(widths: number[], shrinkable: readonly boolean[], room: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        shrinkable[index] && width > MIN_COLUMNS && width > (widths[best] ?? 0) ? index : best,
      -1,
    );
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
}

/**
 * Makes a table with a heading, as lines.
 * @param width the columns of the terminal; null for no limit
 */
export function table<Row>(
  given: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | null = outputWidth(),
): string[] {
  const texts = rows.map((row) => given.map(({ value }) => oneLine(String(value(row) ?? '-'))));
  const widths = given.map(({ title }, index) =>
    Math.max(columns(title), ...texts.map((cells) => columns(cells[index] ?? ''))),
  );
  if (width !== null) {
    const canShrink = given.map((column) => column.canShrink === true);
    shrink(widths, canShrink, width - GAP.length * (given.length - 1));
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) =>
        index === cells.length - 1 ? fit(text, widths[index] ?? 0) : cell(text, widths[index] ?? 0),
      )
      .join(GAP);
  return [bold(line(given.map(({ title }) => title))), ...texts.map(line)];
}

/** Names and values in two columns, as lines. */
export function fields(rows: readonly (readonly [name: string, value: string | number | null])[]): string[] {
  const width = Math.max(...rows.map(([name]) => columns(name)));
  return rows.map(([name, value]) => cell(name, width) + GAP + oneLine(String(value ?? '-')));
}
