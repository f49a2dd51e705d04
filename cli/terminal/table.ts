import { cell, columns, fit, oneLine, wrap } from './columns.ts';
import { bold, outputWidth } from './output.ts';

/** A column of a table. */
export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | null;
  /** Whether its texts can be cut off in a narrow terminal. Ids and times cannot. */
  canShrink?: true;
  /** `name`: what a person reads, which comes first in a terminal. `id`: what a command accepts, which comes last there. */
  role?: 'name' | 'id';
}

const GAP = '  ';
/** A column is not made narrower than this. */
const MIN_TABLE_COLUMNS = 8;
/** A name is not made narrower than this. */
const MIN_NAME_COLUMNS = 24;
/** Lines of a row below its first. */
const INDENT = '    ';

/** A column with its texts, and the columns of a terminal that it needs at least and would use. */
interface Sized {
  texts: readonly string[];
  width: number;
  min: number;
}

function sizedColumn<Row>({ title, value, canShrink, role }: Column<Row>, rows: readonly Row[]): Sized {
  const texts = [title, ...rows.map((row) => oneLine(String(value(row) ?? '-')))];
  const width = Math.max(...texts.map(columns));
  const least = role === 'name' ? MIN_NAME_COLUMNS : MIN_TABLE_COLUMNS;
  return { texts, width, min: canShrink === true ? Math.min(width, least) : width };
}

/** Makes the widest of the columns that can shrink narrower, until they fit or nothing can shrink further. */
function shrink(sized: readonly Sized[], room: number): number[] {
  const widths = sized.map(({ width }) => width);
  let excess = widths.reduce((sum, width) => sum + width, GAP.length * (sized.length - 1)) - room;
  while (excess > 0) {
    const widest = widths.reduce((best, width, index) => {
      const canShrink = width > (sized[index]?.min ?? 0);
      return canShrink && width > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest < 0) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

/** Divides columns into the lines of a row: a column that has no room after the others begins a new line. */
function inLines(sized: readonly Sized[], width: number): Sized[][] {
  const lines: Sized[][] = [];
  let room = 0;
  for (const column of sized) {
    room -= GAP.length + column.min;
    const line = lines.at(-1);
    if (line !== undefined && room >= 0) line.push(column);
    else {
      room = width - (lines.length === 0 ? 0 : INDENT.length) - column.min;
      lines.push([column]);
    }
  }
  return lines;
}

/** The same, with as much room for the first column, a name, as it would use and as many lines permit. */
function divide([name, ...others]: readonly Sized[], width: number): Sized[][] {
  if (name === undefined) return [];
  const least = inLines([name, ...others], width);
  for (let min = Math.min(name.width, width); min > name.min; min -= 1) {
    const lines = inLines([{ ...name, min }, ...others], width);
    if (lines.length === least.length) return lines;
  }
  return least;
}

const ORDER = { name: 0, other: 1, id: 2 };

/**
 * Makes a table with a heading, as lines. In a terminal, names come first and ids last. Where a row does not fit into one
 * line, it takes several, so that names stay readable and ids complete.
 * @param width the columns of the terminal; null for no limit, and then each row has one line and the given order
 */
export function table<Row>(
  given: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | null = outputWidth(),
): string[] {
  const order = ({ role }: Column<Row>) => ORDER[role ?? 'other'];
  const ordered = width === null ? given : [...given].sort((a, b) => order(a) - order(b));
  const sized = ordered.map((column) => sizedColumn(column, rows));
  const lines = width === null ? [sized] : divide(sized, width);
  const layout = lines.map((line, index) => {
    const indent = index === 0 ? '' : INDENT;
    return { line, indent, widths: shrink(line, (width ?? Infinity) - indent.length) };
  });
  const rowLines = (row: number) =>
    layout.map(({ line, indent, widths }) => {
      const cells = line.map(({ texts }, index) => {
        const text = texts[row] ?? '';
        const room = widths[index] ?? 0;
        return index === line.length - 1 ? fit(text, room) : cell(text, room);
      });
      return indent + cells.join(GAP);
    });
  return [...rowLines(0).map(bold), ...rows.flatMap((_, index) => rowLines(index + 1))];
}

/** Names and values in two columns, as lines. In a terminal, long values are wrapped. */
export function fields(
  rows: readonly (readonly [name: string, value: string | number | null])[],
  width: number | null = outputWidth(),
): string[] {
  const left = Math.max(...rows.map(([name]) => columns(name)));
  return rows.flatMap(([name, value]) =>
    hanging(cell(name, left) + GAP, oneLine(String(value ?? '-')), width),
  );
}

/** A beginning and a text after it. In a terminal, the text is wrapped, and its other lines are indented. */
export function hanging(beginning: string, text: string, width: number | null = outputWidth()): string[] {
  const left = columns(beginning);
  if (width === null) return [beginning + text];
  const isNarrow = width - left < MIN_NAME_COLUMNS;
  const indent = isNarrow ? INDENT : ' '.repeat(left);
  const lines = wrap(text, width - indent.length, Infinity);
  if (isNarrow) return [beginning.trimEnd(), ...lines.map((line) => indent + line)];
  return lines.map((line, index) => (index === 0 ? beginning : indent) + line);
}
