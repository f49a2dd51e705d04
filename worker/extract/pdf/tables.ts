import { type Box, type Column, middleOf } from './boxes.ts';
import { linesOf, type Segment, textOf } from './lines.ts';
import { RunningLine, type Vocabulary } from './paragraphs.ts';

/* Tables: pieces of lines that stand in columns, put into rows of cells. */

/** Whether a table has a heading row, and how that is known. */
export type Heading = 'told' | 'guessed' | 'none';

/** A row as it is read: for each column its pieces, from top to bottom. */
export type RowCells = Segment[][];

/** A table of a page. */
export interface Table extends Box {
  columns: readonly Column[];
  rows: RowCells[];
  /** Whether the first row heads the columns; `guessed` if only its place and its words say so. */
  heading: Heading;
  /** Whether the columns are read from right to left. */
  leftward: boolean;
}

/** So many of the cells below a heading are numbers. */
const NUMBERS = 0.6;
/** A table without a sign of a heading has one from so many rows on, if its first row has no number. */
const PLAIN_ROWS = 6;
const PLAIN_COLUMNS = 3;

const NUMBER = /^[\p{Sc}(+−–-]*\s*\d[\d\s.,:/'’-]*(?:[%‰)]|\p{Sc}|[A-Z]{3}|[a-z]{1,3})?$/u;
/** Whether a text is a number, an amount or a date. */
export const isNumber = (text: string) => NUMBER.test(text.trim());

/** Places in order, without those that are near the one before. */
export function sortedUnique(places: readonly number[], near: number): number[] {
  const kept: number[] = [];
  for (const place of [...places].sort((a, b) => a - b))
    if (kept.length === 0 || place - (kept.at(-1) ?? 0) > near) kept.push(place);
  return kept;
}

/** The lines of a cell. */
const cellLines = (cell: readonly Segment[], leftward: boolean): string[] =>
  linesOf(cell)
    .map((line) =>
      textOf(
        line.flatMap((segment) => segment.words),
        leftward,
      ).trim(),
    )
    .filter((text) => text !== '');

/** A table whose cells are the texts of their lines, in the order in which it is read. */
export interface TableText {
  /** Where its columns begin. */
  lefts: number[];
  rows: string[][][];
  heading: Heading;
  /** The size of its letters. */
  size: number;
}

/** The texts of a table. Rows without text are left out. */
export function tableTexts({ columns, rows, heading, leftward }: Table): TableText {
  const inOrder = <T>(list: readonly T[]): T[] => (leftward ? list.toReversed() : [...list]);
  return {
    lefts: inOrder(columns.map(({ left }) => left)),
    rows: rows
      .map((row) => inOrder(row.map((cell) => cellLines(cell, leftward))))
      .filter((row) => row.some((cell) => cell.length > 0)),
    heading,
    size: middleOf(rows.flat(2).map(({ size }) => size)),
  };
}

/** The text of a cell, whose lines are joined. */
export function cellText([first = '', ...others]: readonly string[], words: Vocabulary): string {
  const text = new RunningLine(first);
  for (const line of others) text.join(line, words);
  return text.toString();
}

/** The words of a cell, to be looked at. */
export const plainText = (cell: readonly Segment[]) =>
  cell.length === 1 ? (cell[0]?.plain ?? '') : cell.map(({ plain }) => plain).join(' ');

/** Fonts and sizes of pieces. */
export const fontsOf = (segments: readonly Segment[]): string[] =>
  segments.flatMap(({ words }) => words.map(({ font, size }) => `${font} ${Math.round(size * 2)}`));

/**
 * Whether the first row of a table heads its columns, and how that is known.
 * @param isRuled whether rules divide its cells
 * @param isUnderlined whether a rule is below the first row
 */
export function headingOf(rows: readonly RowCells[], isRuled: boolean, isUnderlined = false): Heading {
  const [first, ...others] = rows;
  if (first === undefined || others.length === 0) return 'none';
  const texts = first.map(plainText);
  const filled = texts.filter((text) => text.trim() !== '');
  if (
    filled.length < 2 ||
    filled.length * 2 < texts.length ||
    filled.filter(isNumber).length * 3 > filled.length
  )
    return 'none';
  if (isUnderlined) return 'told';
  if (others.length === 1 && !isRuled) return 'none';
  const counts = new Map<string, number>();
  for (const font of fontsOf(others.flat(2))) counts.set(font, (counts.get(font) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  if (most !== undefined && !fontsOf(first.flat()).includes(most[0])) return 'told';
  const isNumeric = texts.map((text, column) => {
    const below = others.map((row) => plainText(row[column] ?? [])).filter((cell) => cell.trim() !== '');
    return (
      text !== '' &&
      !isNumber(text) &&
      below.length > 0 &&
      below.filter(isNumber).length >= NUMBERS * below.length
    );
  });
  if (isNumeric.some(Boolean)) return 'told';
  const isPlain = others.length + 1 >= PLAIN_ROWS && texts.length >= PLAIN_COLUMNS;
  return (isRuled || isPlain) && filled.length === texts.length ? 'guessed' : 'none';
}
