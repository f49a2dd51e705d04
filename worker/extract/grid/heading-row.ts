import { isValue, isYear, patternOf, type Shape, shapeOf } from './cell-shape.ts';
import { ColumnShapes } from './column-shapes.ts';
import type { Cell } from './grid-row.ts';

/* Finds the row that names the columns of a table. */

/** A row of one table, in the order of the columns. */
export interface TableRow {
  number: number;
  cells: readonly Cell[];
  /** Whether the file says that these are headings. */
  isStated: boolean;
  isFrozen: boolean;
}

/** How well a row fits as the heading of those below it. */
interface Judgement {
  /** How many headings are of another shape than the column below them. */
  contrast: number;
  /** Whether something says that it is a row like those below it. */
  isDoubtful: boolean;
  /** Whether it is bold or frozen, and the rows below are not. */
  isMarked: boolean;
  /** The share of the columns below that it names. */
  coverage: number;
}

/** So many columns of a row of headings have one, or as many columns are without. */
const FULL = 0.75;
const HALF = 0.5;
/** A longer heading is a text. */
const LONG_HEADING = 200;
/** A form, which has names in one column and values of all kinds in the other, has fewer rows. */
const FORM_ROWS = 15;
/** So many numbers in sequence are the days of a month or the like, and so many if they are as high as identifiers. */
const LONG_SEQUENCE = 5;
const SEQUENCE = 2;
const FIRST_IDENTIFIER = 1000;

/** Whether the numbers of a row count up by one. */
function isSequence(numbers: readonly Cell[]): boolean {
  const values = numbers.map(({ text }) => Number(text.trim()));
  const [first = Number.NaN] = values;
  const least = first >= FIRST_IDENTIFIER ? SEQUENCE : LONG_SEQUENCE;
  return values.length >= least && values.every((value, index) => value === first + index);
}

const INTEGER = /^\s{0,9}\d{1,15}\s{0,9}$/;

/** Whether numbers are integers that increase, as identifiers in headings do. */
const areIdentifiers = (numbers: readonly Cell[]) =>
  numbers.length > 1 &&
  numbers.every(
    ({ text }, index) => INTEGER.test(text) && Number(text) > Number(numbers[index - 1]?.text ?? -1),
  );

/** Whether a number is the heading of a column of other numbers: a year, or one of a sequence. */
function namesNumbers(
  { column, text }: Cell,
  { inSequence, areIds }: { inSequence: boolean; areIds: boolean },
  below: ColumnShapes,
): boolean {
  const shape = below.of(column);
  if (shape !== 'number' && shape !== 'other') return false;
  if (isYear(text) && !below.areYears(column)) return true;
  return inSequence || (areIds && below.areDecimals(column));
}

/** Judges a row by those below it; null if it cannot name their columns. */
function judge(row: TableRow, below: ColumnShapes, next: TableRow, isFirst: boolean): Judgement | null {
  const shapes = row.cells.map(shapeOf);
  const countOf = (wanted: Shape) => shapes.filter((shape) => shape === wanted).length;
  const numbers = row.cells.filter((_, index) => shapes[index] === 'number');
  const inSequence =
    isSequence(numbers) && !isSequence(next.cells.filter((cell) => shapeOf(cell) === 'number'));
  const areIds = areIdentifiers(numbers);
  const hasText = countOf('text') + countOf('code') > 0;
  const hasDates = countOf('date') > 1;
  const periods = numbers.length + countOf('date');
  const found: Judgement = { contrast: 0, isDoubtful: false, isMarked: row.isFrozen, coverage: 0 };
  for (const [index, cell] of row.cells.entries()) {
    const shape = shapes[index];
    const under = below.of(cell.column);
    // `No` is also short for number.
    const isWord = shape === 'other' && cell.kind === 'text' && under !== 'other';
    if (shape === 'contact' || (shape === 'other' && !isWord)) return null;
    if (shape === 'number') {
      if (!namesNumbers(cell, { inSequence, areIds }, below)) return null;
      found.contrast += 1;
    } else if (shape === 'date') {
      if (under !== 'number' && !(hasDates && under !== 'date')) return null;
      if (under === 'number') found.contrast += 1;
    } else if (shape === 'blank') found.isDoubtful = true;
    else if (isValue(under) || (under === 'code' && shape === 'text')) found.contrast += 1;
    else if (shape === 'code' && below.follows(cell.column, patternOf(cell.text))) found.isDoubtful = true;
    if (cell.text.length > LONG_HEADING) found.isDoubtful = true;
  }
  // Above a table, a date can be beside the name of what it is the date of.
  if (!isFirst && periods === 1) return null;
  // A time series can have an empty corner: then its headings are years or dates only.
  if (!hasText && !(row.cells.length > 1 && found.contrast === row.cells.length)) return null;
  const named = new Set(row.cells.map(({ column }) => column));
  const [, ...others] = below.columns();
  const isMissing = (column: number) =>
    !named.has(column) && isValue(below.of(column)) && below.filledIn(column) * 2 >= below.rows;
  if (others.some(isMissing)) found.isDoubtful = true;
  const texts = new Set(row.cells.map(({ text }) => text.trim()));
  if (row.cells.length > 1 && texts.size === 1) found.isDoubtful = true;
  if (row.cells.some(({ text }) => text.trim().endsWith(':'))) found.isDoubtful = true;
  const [, second] = row.cells;
  if (row.cells.length === 2 && below.rows < FORM_ROWS && below.isMixed(second?.column ?? 0)) {
    found.isDoubtful = true;
  }
  found.coverage = row.cells.length / Math.max(1, below.width());
  // Of rows of different lengths, a long one is not a row of headings.
  if (!isFirst && found.coverage > 1) found.isDoubtful = true;
  return found;
}

/** Whether all cells of a row are bold. */
export const isBold = ({ cells }: TableRow) => cells.every(({ bold }) => bold === true);

/** What is known of a table before its heading is sought. */
export interface HeadingOptions {
  /** Whether a row is a heading only if something says so, because the rows can belong to the table above. */
  needsEvidence: boolean;
  /** Whether a table with one column has a heading. */
  withOneColumn: boolean;
}

/** Whether a row that was found early has only titles, and a wider one below it has the headings. */
function isAboveWider(rows: readonly TableRow[], early: number, late: number): boolean {
  const width = rows[early]?.cells.length ?? 0;
  const between = rows.slice(early, late);
  return between.every(({ cells }) => cells.length <= width) && (rows[late]?.cells.length ?? 0) > width;
}

/**
 * The index of the row that names the columns; -1 if none does. With several rows of headings, it is the lowest that has one
 * for most columns.
 */
export function findHeadingRow(rows: readonly TableRow[], options: HeadingOptions): number {
  const stated = rows.findIndex(({ isStated }) => isStated);
  if (stated >= 0 && stated < rows.length - 1) return stated;
  const below = new ColumnShapes();
  const boldBelow: boolean[] = [];
  const judged: (Judgement | null)[] = [];
  const widest = Math.max(0, ...rows.map(({ cells }) => cells.length));
  let boldRows = 0;
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    const next = rows[index + 1];
    if (row === undefined) break;
    const isCandidate =
      next !== undefined && (row.cells.length > 1 || (widest === 1 && options.withOneColumn));
    const judgement = isCandidate ? judge(row, below, next, index === 0) : null;
    if (judgement !== null && isBold(row) && boldRows * 2 <= below.rows && boldBelow[index + 1] === false) {
      judgement.isMarked = true;
    }
    judged[index] = judgement;
    boldBelow[index] = isBold(row);
    if (isBold(row)) boldRows += 1;
    below.add(row.cells);
  }
  const first = (isRight: (judgement: Judgement) => boolean, from = 0) =>
    judged.findIndex((each, index) => index >= from && each !== null && isRight(each));

  const marked = first((each) => each.isMarked && each.coverage >= HALF);
  if (marked >= 0) return marked;
  const isFull = ({ coverage, contrast, isDoubtful }: Judgement) =>
    coverage >= FULL && (contrast > 0 || (!isDoubtful && !options.needsEvidence));
  const isPartial = ({ coverage, contrast }: Judgement) => coverage >= HALF && contrast > 0;
  const early = first((each) => isFull(each) || isPartial(each));
  if (early < 0) {
    return first((each) => each.coverage >= HALF && !each.isDoubtful && !options.needsEvidence);
  }
  const late = first(isFull, early + 1);
  return late > 0 && isAboveWider(rows, early, late) ? late : early;
}
