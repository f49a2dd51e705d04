/*
 * A long table, which is cut into passages, with the same parts whatever its second column is.
 */

/** Enough rows for three passages. */
const ROWS = 120;

/** The heading row and the row below it, as each passage begins with them. */
export const tableHead = (column: string) => `| Part | ${column} |\n| - | - |\n`;

/** The cells of the rows below the heading row. */
export const tableCells = (): string[][] =>
  Array.from({ length: ROWS }, (_, i) => [`P-${i}`, `${i * 7} in the hall of ${i}`]);

/** The table as Markdown. */
export const markdownTable = (column: string) =>
  `${tableHead(column)}${tableCells()
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')}`;
