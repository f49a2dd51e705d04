import { type Column, distancesOf, leastOf, middleOf, mostOf, rowsOf, usualDistance } from './boxes.ts';
import { linesOf, type Segment, UNSPACED } from './lines.ts';
import { isNumber, plainText, type Table } from './tables.ts';

/* What stands in the columns of a band: running text, lists, cells, or a table. */

/** What is laid out: a piece of a line, or a table that rules divide. */
export type Item = Segment | Table;
export const isTable = (item: Item): item is Table => 'rows' in item;

/** Lines of running text have so many words, and fill so much of their column. */
const RUNNING_WORDS = 4;
const RUNNING_FILL = 0.55;
/** Lines of fewer words are running text if there are so many of them, and this share begins with a small letter. */
const FEWEST_WORDS = 2.2;
const WORDY_LINES = 5;
const SMALL_STARTS = 0.35;
const SMALL_LETTER = /^\p{Ll}/u;
/** Headings are larger than the text by this. */
const HEADING_SIZE = 1.04;
/** The share of the lines of a list that begin with a mark. */
const LISTED = 0.3;
/** A strip without text is wider than those between lines by so much, relative to the size. */
const STRIP = 0.3;
/** Of the wide strips of each column of a table, this share is common to all columns. There are at least so many. */
const COMMON_STRIPS = 0.8;
const FEWEST_STRIPS = 2;
/** The rows of such a table have so many lines on average, at most. */
const MOST_CELL_LINES = 6;
/** In a script without spaces, so many letters count as a word. */
const LETTERS_PER_WORD = 3;
/** Columns of text have at least so many lines. */
const COLUMN_LINES = 3;
/** A bullet or a number that begins an item of a list. */
export const LIST_MARK = /^(?:[•‣▪◦●○■–—*·o§-]|[([]?(?:\d{1,3}|\p{L}|[ivxlc]{1,6})[.)\]])$/iu;

/** The size of letters where there are none. */
const USUAL_SIZE = 10;

/** The usual size of letters. */
export const midSize = (items: readonly Item[]): number => {
  const sizes = items.flatMap((item) => (isTable(item) ? [] : [item.size]));
  return sizes.length === 0 ? USUAL_SIZE : middleOf(sizes);
};

const wordsIn = (text: string): number =>
  UNSPACED.test(text) ? text.length / LETTERS_PER_WORD : text.trim().split(/\s+/).length;

/** Whether the items of a column are lines of running text. */
function isRunningText(items: readonly Item[], { left, right }: Column): boolean {
  const lines = linesOf(items.filter((item): item is Segment => !isTable(item)));
  if (lines.length === 0) return true;
  if (lines.length < COLUMN_LINES) return false;
  const texts = lines.map(plainText);
  const fills = lines.map((line) => {
    const end = line.reduce((most, segment) => Math.max(most, segment.right), left);
    return (end - (line[0]?.left ?? left)) / (right - left);
  });
  const [fill, count] = [middleOf(fills), middleOf(texts.map(wordsIn))];
  const isLong = count >= RUNNING_WORDS;
  const begun = texts.filter((text) => SMALL_LETTER.test(text.trim())).length;
  if (!isLong && (count < FEWEST_WORDS || texts.length < WORDY_LINES || begun < SMALL_STARTS * texts.length))
    return false;
  return fill >= RUNNING_FILL && texts.filter(isNumber).length * 2 < texts.length;
}

/** How many items of a column have one in the other column at the same height, as a share. */
function sideBySide(items: readonly Item[], others: readonly Item[]): number {
  const ys = new Set<number>();
  const near = (y: number) => Math.round(y);
  for (const item of others) if (!isTable(item)) [-1, 0, 1].forEach((step) => ys.add(near(item.y) + step));
  const found = items.filter((item) => !isTable(item) && ys.has(near(item.y)));
  return items.length === 0 ? 0 : found.length / items.length;
}

/** Whether items have letters of different sizes. */
function hasHeadings(items: readonly Item[]): boolean {
  const sizes = items.flatMap((item) => (isTable(item) ? [] : [item.size]));
  return mostOf(sizes) > HEADING_SIZE * leastOf(sizes);
}

/** Rows between wide strips over all columns. A row of headings belongs to the row below it. */
export function cellRows(
  rows: readonly (readonly Item[])[],
  columns: readonly { items: Item[] }[],
): Item[][] {
  const usual = mostOf(columns.map(({ items }) => usualDistance(items)));
  const size = midSize(rows.flat());
  const distances = distancesOf(rows);
  const result: Item[][] = [];
  let open = false;
  for (const [index, row] of rows.entries()) {
    const last = result.at(-1);
    const isFar = (distances[index - 1] ?? 0) > usual + STRIP * size;
    if (last === undefined || (isFar && !open)) result.push([...row]);
    else for (const item of row) last.push(item);
    open = row.every((item) => !isTable(item) && item.size > HEADING_SIZE * size);
  }
  return result;
}

/** Whether a column is a list: enough of its lines begin with a mark. */
function isMarkedList(items: readonly Item[]): boolean {
  const lines = linesOf(items.filter((item): item is Segment => !isTable(item)));
  const marked = lines.filter((line) => {
    return LIST_MARK.test(line[0]?.words[0]?.text ?? '');
  });
  return marked.length >= 2 && marked.length >= LISTED * lines.length;
}

/**
 * Whether columns of running text are those of a table: wide strips divide all of them at once. The paragraphs of
 * other columns end at different places.
 */
function hasCommonStrips(columns: readonly { items: Item[] }[], rows: readonly (readonly Item[])[]): boolean {
  const size = midSize(rows.flat());
  const own = columns.map(({ items }) => {
    const distances = distancesOf(rowsOf(items));
    const usual = middleOf(distances);
    return { usual, wide: distances.filter((distance) => distance > usual + STRIP * size).length };
  });
  const usual = mostOf(own.map((column) => column.usual));
  // Below the end of the shortest column, every strip is common to all.
  const end = leastOf(columns.map(({ items }) => mostOf(items.map(({ bottom }) => bottom))));
  const side = rows.filter((row) => row.some(({ top }) => top <= end));
  const common = distancesOf(side).filter((distance) => distance > usual + STRIP * size).length;
  const lines = leastOf(columns.map(({ items }) => rowsOf(items).length));
  return (
    common >= FEWEST_STRIPS &&
    common >= COMMON_STRIPS * mostOf(own.map(({ wide }) => wide)) &&
    common * MOST_CELL_LINES >= lines
  );
}

/**
 * What columns hold: running text, or notes beside it; cells of running text, which are read row by row; or a table.
 */
export function kindOf(
  columns: readonly { column: Column; items: Item[] }[],
  rows: readonly (readonly Item[])[],
): 'text' | 'cells' | 'table' {
  if (columns.filter(({ items }) => isMarkedList(items)).length > 1) return 'text';
  const running = columns.map(({ items, column }) => isRunningText(items, column));
  const text = columns[running.indexOf(true)];
  if (text === undefined) return 'table';
  if (running.every(Boolean)) {
    if (!hasCommonStrips(columns, rows)) return 'text';
    return cellRows(rows, columns).some((row) => hasHeadings(row)) ? 'cells' : 'table';
  }
  const isBeside = columns.every(
    ({ items }, index) => running[index] === true || sideBySide(items, text.items) < 0.5,
  );
  return isBeside ? 'text' : 'table';
}
