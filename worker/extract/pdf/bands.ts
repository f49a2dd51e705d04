import { columnsOf, common, type Gap, gapsOf, isInner, leastOf, rowsOf } from './boxes.ts';
import { type Item, midSize } from './columns.ts';

/* Bands of a page: rows that share gaps between columns. */

/** A gap between columns is at least this wide, relative to the size. */
const COLUMN_GAP = 0.5;
/** It can be narrowed to this by lines that stick out. */
const LEAST_GAP = 0.25;
/** A row with more columns is no table and no text. */
const MAX_COLUMNS = 400;
/** One this wide is no gap between words; a narrower one has so many lines beside it. */
const SURE_GAP = 1;
const SUPPORT = 4;
/** A row that closes gaps is within a band if so many rows below it leave them open. */
const ROWS_BELOW = 2;
/** A gap that stays open for so many rows is not one between words. */
const ROWS_ON = 6;
/** So many rows of a band are looked at to find whether it should begin a row later. */
const ROWS_AHEAD = 40;
/** A band with more columns is looked for in so many rows. */
const ROWS_BEFORE_CUT = 15;

/** The gaps that are wide, or have enough rows at both sides: a few lines have narrow ones between their words too. */
export function wellSupported(gaps: readonly Gap[], items: readonly Item[], spacing: number): Gap[] {
  const size = midSize(items) * spacing;
  const columns = columnsOf(items, gaps);
  if (columns.length !== gaps.length + 1) return [...gaps];
  return gaps.filter(({ from, to }, index) => {
    if (to - from >= SURE_GAP * size) return true;
    const beside = leastOf([index, index + 1].map((each) => rowsOf(columns[each]?.items ?? []).length));
    return beside >= SUPPORT;
  });
}

/** Rows with the gaps between their columns. */
export interface Band {
  /** The row after the last. */
  end: number;
  gaps: Gap[];
  /** Rows that extend over the gaps, as headings within a table or between columns do. */
  across: Set<number>;
}

/** The gaps of `gaps` that a row leaves open, in whole or in part. */
const leftOpen = (gaps: readonly Gap[], row: readonly Item[], width: number) =>
  common(gaps, gapsOf(row), width);

/** Whether a row has text at both sides of a gap. */
const isBesideBoth = (row: readonly Item[], { from, to }: Gap) =>
  row.some(({ right }) => right <= from + 0.01) && row.some(({ left }) => left >= to - 0.01);

/** The rows from this one on, and before a last one, that share gaps between columns; null if there are none. */
function bandAt(rows: readonly Item[][], start: number, size: number, last = rows.length): Band | null {
  const width = LEAST_GAP * size;
  let gaps = gapsOf(rows[start] ?? []).filter(({ from, to }) => to - from >= COLUMN_GAP * size);
  if (!gaps.some(isInner) || gaps.length > MAX_COLUMNS) return null;
  const across = new Set<number>();
  let end = start + 1;
  for (; end < last; end += 1) {
    const row = rows[end] ?? [];
    const next = leftOpen(gaps, row, width);
    if (next.length > MAX_COLUMNS) break;
    const closed = gaps.filter(
      (gap) => isInner(gap) && !next.some(({ from, to }) => from < gap.to && to > gap.from),
    );
    if (closed.length > 0) {
      if (isAcross(rows, end, gaps, width)) {
        across.add(end);
        continue;
      }
      const supported = closed.some((gap) => supportOf(rows, start, end, gap) >= SUPPORT);
      if (!next.some(isInner) || (supported && !goesOn(rows, end, next, width))) break;
    }
    gaps = next;
  }
  while (across.has(end - 1)) across.delete((end -= 1));
  return { end, gaps: gaps.filter(isInner), across };
}

/** Whether the rows below a row that closes gaps leave them open again. */
function isAcross(rows: readonly Item[][], at: number, gaps: readonly Gap[], width: number): boolean {
  const inner = gaps.filter(isInner);
  const below = rows.slice(at + 1, at + 1 + ROWS_BELOW);
  return (
    below.length === ROWS_BELOW &&
    below.every((row) => leftOpen(inner, row, width).length === inner.length) &&
    inner.every((gap) => below.some((row) => isBesideBoth(row, gap)))
  );
}

/** Whether gaps stay open in the next rows too, as the gap between columns of text does beside a table that ends. */
function goesOn(rows: readonly Item[][], from: number, gaps: readonly Gap[], width: number): boolean {
  const below = rows.slice(from, from + ROWS_ON);
  const open = below.reduce((left, row) => leftOpen(left, row, width), [...gaps]).filter(isInner);
  return open.some((gap) => below.filter((row) => isBesideBoth(row, gap)).length * 2 >= ROWS_ON);
}

/** How many of the last rows have text at both sides of a gap. */
function supportOf(rows: readonly Item[][], start: number, end: number, gap: Gap): number {
  let count = 0;
  for (let index = end - 1; index >= start && index >= end - 4 * SUPPORT; index -= 1)
    if (isBesideBoth(rows[index] ?? [], gap)) count += 1;
  return count;
}

/** How many gaps of a band have text at both sides in enough rows from a row on. */
function supported({ gaps, end }: Band, rows: readonly Item[][], from: number): number {
  return gaps.filter((gap) => {
    const beside = rows.slice(from, end).filter((row) => isBesideBoth(row, gap)).length;
    return beside * 3 >= end - from;
  }).length;
}

/**
 * The band that begins at a row. It ends where one with more columns begins, such as a table below an address; there is none
 * if that is the next row.
 * @param work counts the rows that are looked at
 */
export function bandFrom(
  rows: readonly Item[][],
  start: number,
  size: number,
  work: { rows: number },
): Band | null {
  const band = bandAt(rows, start, size);
  work.rows += band === null ? 1 : band.end - start;
  if (band === null || band.end <= start + 1) return band;
  const last = Math.min(rows.length, start + 1 + ROWS_AHEAD);
  const own = bandAt(rows, start, size, last);
  if (own === null) return band;
  for (let later = start + 1; later < Math.min(own.end - 1, start + ROWS_BEFORE_CUT); later += 1) {
    // A row with more columns has more pieces.
    if ((rows[later]?.length ?? 0) < own.gaps.length + 2) continue;
    const other = bandAt(rows, later, size, last);
    work.rows += last - later;
    if (other === null || other.end < own.end) continue;
    if (supported(other, rows, later) <= supported(own, rows, later)) continue;
    return later === start + 1 ? null : bandAt(rows, start, size, later);
  }
  return band;
}
