/* Boxes on a page, such as pieces of lines and tables: which stand beside each other, and the gaps between them. */

/** Coordinates grow to the right and downwards. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** From left to right. */
export type Column = Pick<Box, 'left' | 'right'>;

/** A range without text. */
export interface Gap {
  from: number;
  to: number;
}

/** Items overlap if they share so much of the height of the lower one. */
const SHARED_HEIGHT = 0.15;
/** Items that stand beside each other, directly or over others. From top to bottom. */
export function rowsOf<T extends Box>(items: readonly T[]): T[][] {
  const rows: { bottom: number; items: T[] }[] = [];
  for (const item of [...items].sort((a, b) => a.top - b.top)) {
    const row = rows.at(-1);
    const height = item.bottom - item.top;
    if (row !== undefined && row.bottom - item.top > SHARED_HEIGHT * Math.min(height, 20)) {
      row.items.push(item);
      row.bottom = Math.max(row.bottom, item.bottom);
    } else rows.push({ bottom: item.bottom, items: [item] });
  }
  return rows.map((row) => row.items.sort((a, b) => a.left - b.left));
}

/** The upper edge of a row. */
export const topOf = (row: readonly Pick<Box, 'top'>[]) => leastOf(row.map(({ top }) => top));
/** The lower edge of a row. */
export const bottomOf = (row: readonly Pick<Box, 'bottom'>[]) => mostOf(row.map(({ bottom }) => bottom));

/** The distances between rows. */
export const distancesOf = (rows: readonly (readonly Box[])[]): number[] =>
  rows.slice(1).map((row, index) => topOf(row) - bottomOf(rows[index] ?? []));

/** The least of some numbers, of which there can be more than a call has arguments; infinity if there are none. */
export function leastOf(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const number of numbers) if (number < least) least = number;
  return least;
}

/** The greatest of some numbers; minus infinity if there are none. */
export function mostOf(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

/** The index of the first element of a list that is after a place; the list is ordered so that all others after it are too. */
export function firstIndex<T>(list: readonly T[], isAfter: (element: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The middle one of some numbers; zero if there are none. */
export const middleOf = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** The usual distance between the rows of a column. */
export const usualDistance = (items: readonly Box[]): number => middleOf(distancesOf(rowsOf(items)));

/** The ranges in which a row has no text, those at its sides included. The items are ordered by `left`. */
export function gapsOf(row: readonly Column[]): Gap[] {
  const gaps: Gap[] = [];
  let from = Number.NEGATIVE_INFINITY;
  for (const { left, right } of row) {
    if (left > from) gaps.push({ from, to: left });
    from = Math.max(from, right);
  }
  gaps.push({ from, to: Number.POSITIVE_INFINITY });
  return gaps;
}

/** The parts of gaps that are common to two rows, if they are at least so wide. */
export function common(a: readonly Gap[], b: readonly Gap[], width: number): Gap[] {
  const gaps: Gap[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [first, second] = [a[i] as Gap, b[j] as Gap];
    const gap = { from: Math.max(first.from, second.from), to: Math.min(first.to, second.to) };
    if (gap.to - gap.from >= width) gaps.push(gap);
    if (first.to < second.to) i += 1;
    else j += 1;
  }
  return gaps;
}

/** Whether a gap is between two columns. */
export const isInner = ({ from, to }: Gap) =>
  from > Number.NEGATIVE_INFINITY && to < Number.POSITIVE_INFINITY;

/** The columns between gaps, with their items. */
export function columnsOf<T extends Box>(
  items: readonly T[],
  gaps: readonly Gap[],
): { column: Column; items: T[] }[] {
  const columns = [...gaps, null].map(() => [] as T[]);
  for (const item of items) {
    columns[firstIndex(gaps, ({ to }) => item.left < to - 0.01)]?.push(item);
  }
  return columns
    .filter((column) => column.length > 0)
    .map((column) => ({
      column: {
        left: leastOf(column.map(({ left }) => left)),
        right: mostOf(column.map(({ right }) => right)),
      },
      items: column,
    }));
}
