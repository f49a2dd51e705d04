import {
  bottomOf,
  type Column,
  columnsOf,
  distancesOf,
  type Gap,
  gapsOf,
  isInner,
  leastOf,
  middleOf,
  mostOf,
  rowsOf,
  topOf,
} from './boxes.ts';
import { type Item, isTable, midSize } from './columns.ts';
import { linesOf, runsLeft, type Segment, segmentOf } from './lines.ts';
import {
  fontsOf,
  headingOf,
  isNumber,
  plainText,
  type RowCells,
  sortedUnique,
  type Table,
} from './tables.ts';
import type { Rule, Word } from './words.ts';

/* Tables whose cells are divided by gaps. */

/** A gap between lines that is wider than the narrowest one by this, relative to the size, divides rows. */
const ROW_GAP = 0.14;
/**
 * Rows have wide gaps if this share of the gaps is wide, or this one if most lines after narrow gaps fill fewer columns than
 * the line above. Of a few, one is enough.
 */
const WIDE_GAPS = { any: 0.25, inParts: 0.06 };
const FEW_LINES = 4;
/** Rules this close are one. */
const SAME_RULE = 2.5;
/** A piece extends over a column if it shares so much with it as part of what it shares with another. */
const OVER = 0.4;
/** The space between words, relative to the size. */
const WORD_SPACE = 0.25;
/** A line that begins so begins a row. */
const SENTENCE_START = /^[\p{Lu}\d]/u;
/** The heading row of a table has so many lines at most. */
const MOST_HEADING_LINES = 4;
/** Rows above a table are apart from it if the gap is wider than usual by this, relative to the size. */
const ABOVE_TABLE_GAP = 0.6;
const ROWS_ABOVE_TABLE = 8;
/** The heading row of a table is this close to it, relative to the size. */
const HEADING_GAP = 1.5;
/**
 * A gap within a column of a table is at least this wide, relative to the size, and divides this share of the
 * rows that begin before it, and so many.
 */
const NARROW_GAP = { any: 0.42, unspaced: 0.18 };
const DIVIDED_ROWS = 0.5;
const FEWEST_DIVIDED = 3;
/** Other rows may extend over it, such as that of a total. */
const OPEN_ROWS = 0.65;
const ENOUGH_ROWS = 4;
const MAX_COLUMNS = 100;

/** Lines of a table that stand beside each other: their cells, and where they are. */
interface TableLine {
  cells: RowCells;
  top: number;
  bottom: number;
  size: number;
}

/** Puts pieces that stand in columns into rows: a cell can have several lines, and lines need not be at one height. */
export function rowsOfColumns(
  columns: readonly Column[],
  segments: readonly Segment[],
  horizontalRules: readonly Rule[],
): RowCells[] {
  const lines = rowsOf(segments).map((line): TableLine => {
    const cells: RowCells = columns.map(() => []);
    for (const segment of line) cells[columnOf(columns, segment)]?.push(segment);
    return {
      cells,
      top: topOf(line),
      bottom: bottomOf(line),
      size: mostOf(line.map(({ size }) => size)),
    };
  });
  const dividers = dividersOf(columns, horizontalRules, lines);
  const heading = headingLines(columns, lines, horizontalRules);
  const distances = lines.slice(1).map(({ top }, index) => top - (lines[index]?.bottom ?? 0));
  // The gap between the lines of a cell. Where cells are not at one height, the gaps between rows are no measure.
  const body = lines.slice(heading);
  const own = columns.map((_, column) =>
    distancesOf(rowsOf(body.flatMap(({ cells }) => cells[column] ?? []))),
  );
  const least = leastOf(own.flat());
  const size = middleOf(lines.map((line) => line.size));
  const isWide = (distance: number) => distance > least + ROW_GAP * size;
  const isGapped = hasRowGaps(body, distances.slice(heading).map(isWide));
  const rows: TableLine[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const row = rows.at(-1);
    const distance = distances[index - 1] ?? 0;
    const goesOn = () => {
      if (row === undefined || above === undefined) return false;
      if (index < heading) return true;
      if (index === heading) return false;
      if (dividers !== null && dividers.some((at) => at > above.bottom - 1 && at <= line.top + 1))
        return false;
      if (isRowItself(row, line, columns)) return false;
      if (dividers !== null) return true;
      return isGapped ? !isWide(distance) : goesOnBelow(above, line, columns, distance);
    };
    if (row !== undefined && goesOn())
      line.cells.forEach((cell, column) => {
        for (const segment of cell) row.cells[column]?.push(segment);
      });
    else rows.push({ ...line, cells: line.cells.map((cell) => [...cell]) });
  }
  return rows.map(({ cells }) => cells);
}

/** How many cells of a line have text. */
const filledCells = ({ cells }: TableLine) => cells.filter((cell) => cell.length > 0).length;

/**
 * Whether a line cannot go on a row: both have a number in a column, or the line fills as many columns and all of its first
 * words had room above.
 */
function isRowItself(row: TableLine, line: TableLine, columns: readonly Column[]): boolean {
  const texts = line.cells.map(plainText);
  const isNumberBelow = row.cells.some((cell, column) => {
    return isNumber(texts[column] ?? '') && isNumber(plainText(cell.slice(-1)));
  });
  if (isNumberBelow) return true;
  if (filledCells(line) < filledCells(row)) return false;
  return line.cells.every((_, column) => hadRoom(row, line, column, columns));
}

/** Whether the first word of a cell would have fitted into the last line of the cell above. */
function hadRoom(row: TableLine, line: TableLine, column: number, columns: readonly Column[]): boolean {
  const last = row.cells[column]?.at(-1);
  const [word] = line.cells[column]?.[0]?.words ?? [];
  if (last === undefined || word === undefined) return true;
  const { left, right } = columns[column] ?? { left: 0, right: 0 };
  return last.right - left + WORD_SPACE * line.size + (word.right - word.left) <= right - left;
}

/** Whether wide gaps divide the rows: there are enough of them, and the lines between them are not rows themselves. */
function hasRowGaps(lines: readonly TableLine[], areWide: readonly boolean[]): boolean {
  const wide = areWide.filter(Boolean).length;
  const narrow = areWide.length - wide;
  if (narrow === 0 || wide === 0 || (wide === 1 && areWide.length > FEW_LINES)) return false;
  const whole = areWide.filter((isWide, index) => {
    const [above, line] = [lines[index], lines[index + 1]];
    return !isWide && above !== undefined && line !== undefined && filledCells(line) >= filledCells(above);
  }).length;
  return wide >= (whole * 2 > narrow ? WIDE_GAPS.any : WIDE_GAPS.inParts) * areWide.length;
}

/** The number of lines above the first rule or in a font of their own: the heading row, if there are several. */
function headingLines(
  columns: readonly Column[],
  lines: readonly TableLine[],
  horizontalRules: readonly Rule[],
): number {
  const [top, bottom] = [topOf(lines), bottomOf(lines)];
  const within = horizontalRules.filter((rule) => {
    return rule.at > top && rule.at < bottom && isOverColumns(rule, columns);
  });
  const rule = leastOf(within.map(({ at }) => at));
  const above = lines.filter(({ bottom }) => bottom < rule + 1).length;
  const distances = lines.slice(1, above).map(({ top }, index) => top - (lines[index]?.bottom ?? 0));
  if (distances.some((distance, index) => distance > (lines[index]?.size ?? 0))) return 0;
  if (rule !== Number.POSITIVE_INFINITY) return above <= MOST_HEADING_LINES ? above : 0;
  const bodyFonts = new Set(lines.slice(MOST_HEADING_LINES).flatMap(({ cells }) => fontsOf(cells.flat())));
  if (bodyFonts.size === 0) return 0;
  const first = lines.findIndex(({ cells }) => fontsOf(cells.flat()).some((font) => bodyFonts.has(font)));
  return first > 0 && first <= MOST_HEADING_LINES ? first : 0;
}

function isOverColumns({ from, to }: Rule, columns: readonly Column[]): boolean {
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
  return Math.min(to, right) - Math.max(from, left) > 0.7 * (right - left);
}

function columnOf(columns: readonly Column[], { left, right }: Segment): number {
  const overlaps = columns.map((column) => Math.min(right, column.right) - Math.max(left, column.left));
  // A piece over several columns belongs to the first, unless it only reaches into others.
  const most = mostOf(overlaps);
  const first = overlaps.findIndex((overlap) => overlap > OVER * most);
  return first === -1 ? overlaps.indexOf(most) : first;
}

/** The lines below which rows begin, if rules divide most rows; else null. */
function dividersOf(
  columns: readonly Column[],
  horizontalRules: readonly Rule[],
  lines: readonly TableLine[],
): number[] | null {
  const [top, bottom] = [lines[0]?.bottom ?? 0, lines.at(-1)?.top ?? 0];
  const places = horizontalRules
    .filter((rule) => rule.at > top - 1 && rule.at < bottom + 1 && isOverColumns(rule, columns))
    .map(({ at }) => at);
  const distinct = sortedUnique(places, SAME_RULE);
  return distinct.length >= 2 && distinct.length * 4 >= lines.length ? distinct : null;
}

/** Whether a line continues the cells of the line above it, where gaps do not tell: its words did not fit there. */
function goesOnBelow(
  above: TableLine,
  line: TableLine,
  columns: readonly Column[],
  distance: number,
): boolean {
  const filled = line.cells.flatMap((cell, column) => (cell.length > 0 ? [column] : []));
  if (filled.length === columns.length || distance > Math.max(above.size, line.size)) return false;
  return filled.every((column) => {
    const text = plainText(line.cells[column] ?? []);
    if ((above.cells[column]?.length ?? 0) === 0 || isNumber(text)) return false;
    if (column === 0 && SENTENCE_START.test(text)) return false;
    return !hadRoom(above, line, column, columns);
  });
}

/** Whether the pieces of a row stand over different columns, as those of a heading row do. */
function isOverEach(row: readonly Segment[], columns: readonly Column[]): boolean {
  const over = row.map((segment) => nearestColumn(columns, segment));
  return (
    row.length >= 2 &&
    row.length * 2 >= columns.length &&
    new Set(over).size === over.length &&
    !over.includes(-1)
  );
}

/** The column with which a piece shares most; -1 if none. */
function nearestColumn(columns: readonly Column[], { left, right }: Segment): number {
  const overlaps = columns.map((column) => Math.min(right, column.right) - Math.max(left, column.left));
  const most = mostOf(overlaps);
  return most > 0 ? overlaps.indexOf(most) : -1;
}

/** The row above a table, if its pieces stand over the columns and close the gaps between them, as wide headings do. */
export function headingAbove(
  row: readonly Item[] = [],
  below: readonly Item[],
  columns: readonly Column[],
): Segment[] {
  const segments = row.filter((item): item is Segment => !isTable(item));
  if (segments.length < row.length || !isOverEach(segments, columns)) return [];
  return topOf(below) - bottomOf(segments) <= HEADING_GAP * midSize(segments) ? segments : [];
}

/**
 * How many rows at the top stand apart from a table below them, such as an address above its columns: the gap is wide, and
 * they fill fewer columns.
 */
export function rowsApart(rows: readonly (readonly Item[])[], gaps: readonly Gap[]): number {
  const distances = distancesOf(rows);
  const usual = Math.max(middleOf(distances), 0);
  const size = midSize(rows.flat());
  const filled = rows.map((row) => columnsOf(row, gaps).length);
  for (let index = 1; index <= Math.min(ROWS_ABOVE_TABLE, rows.length - 2); index += 1) {
    const isFar = (distances[index - 1] ?? 0) > usual + ABOVE_TABLE_GAP * size;
    if (isFar && mostOf(filled.slice(0, index)) < mostOf(filled.slice(index, index + 2))) return index;
  }
  return 0;
}

/** The rows of a table: rows at its end with text in one column may be what follows it. */
export function tableRows(rows: readonly (readonly Item[])[], gaps: readonly Gap[]): (readonly Item[])[] {
  const kept = [...rows];
  const yOf = (row: readonly Item[]) => leastOf(row.map((item) => (isTable(item) ? item.top : item.y)));
  const distances = rows.slice(1).map((row, index) => yOf(row) - yOf(rows[index] ?? []));
  const usual = middleOf(distances);
  while (kept.length > 2) {
    const last = kept.at(-1) ?? [];
    if (columnsOf(last, gaps).length > 1) break;
    const isFirst = last.every(({ left }) => left < (gaps[0]?.to ?? 0) - 0.01);
    const isNear = (distances[kept.length - 2] ?? 0) <= 1.05 * usual;
    if (!isFirst && isNear) break;
    kept.pop();
  }
  return kept;
}

/** The parts of a piece in each of some columns. */
export function dividedAt({ words }: Segment, columns: readonly Column[]): Segment[] {
  const parts = new Map<number, Word[]>();
  for (const word of words) {
    const middle = (word.left + word.right) / 2;
    const index = columns.findIndex(({ right }) => middle <= right);
    const part = parts.get(index);
    if (part === undefined) parts.set(index, [word]);
    else part.push(word);
  }
  return [...parts.values()].map((part) => segmentOf(part));
}

/** The ranges that so many rows leave open. `gaps` are those of each row. */
function openIn(gaps: readonly (readonly Gap[])[], count: number): Gap[] {
  const ends = gaps.flat().flatMap(({ from, to }) => [
    { at: from, step: 1 },
    { at: to, step: -1 },
  ]);
  // Where one range ends and another begins, the count must not rise in between.
  ends.sort((a, b) => (a.at === b.at ? a.step - b.step : a.at - b.at));
  const open: Gap[] = [];
  let [covered, from] = [0, 0];
  for (const { at, step } of ends) {
    if (step === 1 && covered === count - 1) from = at;
    if (step === -1 && covered === count) open.push({ from, to: at });
    covered += step;
  }
  return open;
}

/**
 * Columns divided further where the words of most rows leave a gap that is narrower than those between pieces. A narrow
 * one counts only between words of a text that draws its spaces, if none was drawn there.
 */
export function refined(
  columns: readonly Column[],
  segments: readonly Segment[],
  spacedFonts: ReadonlySet<string>,
  spacing: number,
): Column[] {
  return columns.flatMap((column) => {
    const inColumn = segments.filter(({ left, right }) => left < column.right && right > column.left);
    const size = midSize(inColumn) * spacing;
    const own = linesOf(inColumn).map((line) => segmentOf(line.flatMap(({ words }) => words)));
    if (own.length < ENOUGH_ROWS || columns.length > MAX_COLUMNS) return [column];
    const gaps = own.map(({ words }) => gapsOf([...words].sort((a, b) => a.left - b.left)));
    const inner = openIn(gaps, Math.ceil(OPEN_ROWS * own.length)).filter((gap) => {
      if (!isInner(gap)) return false;
      const divided = own.filter(({ left, right, words }) => {
        return (
          left < gap.from &&
          right > gap.to &&
          !words.some((word) => word.left < gap.to && word.right > gap.from)
        );
      });
      const begun = own.filter(({ left }) => left < gap.from).length;
      if (divided.length < FEWEST_DIVIDED || divided.length < DIVIDED_ROWS * begun) return false;
      if (gap.to - gap.from >= NARROW_GAP.any * size) return true;
      const unspaced = divided.filter(({ words }) => {
        const next = words.find(({ left }) => left >= gap.to - 0.01);
        return next !== undefined && !next.spaced && spacedFonts.has(next.font);
      });
      return gap.to - gap.from >= NARROW_GAP.unspaced * size && unspaced.length >= 0.8 * divided.length;
    });
    const starts = [column.left, ...inner.map(({ to }) => to)];
    const ends = [...inner.map(({ from }) => from), column.right];
    return starts.map((left, index) => ({ left, right: ends[index] ?? column.right }));
  });
}

/** A table whose cells are divided by gaps. */
export function gappedTable(
  columns: readonly Column[],
  segments: readonly Segment[],
  horizontalRules: readonly Rule[],
): Table {
  const rows = rowsOfColumns(columns, segments, horizontalRules);
  const [first, second] = rows;
  const [left, right] = [columns[0]?.left ?? 0, columns.at(-1)?.right ?? 0];
  const firstBottom = mostOf((first ?? []).flat().map(({ y }) => y));
  const secondTop = leastOf((second ?? []).flat().map(({ y, size }) => y - size * 0.5));
  const isUnderlined = horizontalRules.some(
    ({ at, from, to }) =>
      at > firstBottom - 1 &&
      at < secondTop &&
      Math.min(to, right) - Math.max(from, left) > 0.5 * (right - left),
  );
  const letters = segments.map(({ words }) => words.map(({ text }) => text).join('')).join('');
  return {
    columns,
    rows,
    heading: headingOf(rows, false, isUnderlined),
    leftward: runsLeft(letters),
    top: leastOf(segments.map(({ top }) => top)),
    bottom: mostOf(segments.map(({ bottom }) => bottom)),
    left,
    right,
  };
}
