import { type Block, plainTextOf } from '../text.ts';

/** A table in a cell, in one line: `Owner: Ann; Phone: 6100`, or its cells with commas if it has not two columns. */
export function nestedText(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const lines = rows.map((row) => row.filter((cell) => cell.trim() !== '').join(width === 2 ? ': ' : ', '));
  return lines.filter((line) => line !== '').join('; ');
}

/** The text of a block in a cell, in one line. */
export const textInCell = (block: Block) =>
  block.kind === 'table' ? nestedText(block.rows) : plainTextOf(block);
