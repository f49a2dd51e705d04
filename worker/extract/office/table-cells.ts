import { type Block, plainTextOf } from '../text.ts';

/* The cells of tables in documents, whose content is blocks. */

/** A cell with headings or tables and more text than this, in characters, is a part of the layout of the page. */
const MAX_STRUCTURED_CELL = 2_000;

/** A table in a cell, in one line: `Owner: Ann; Phone: 6100`, or its cells with commas if it has not two columns. */
export function nestedText(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const lines = rows.map((row) => row.filter((cell) => cell.trim() !== '').join(width === 2 ? ': ' : ', '));
  return lines.filter((line) => line !== '').join('; ');
}

/** The text of a block in a cell. */
function textInCell(block: Block): string {
  return block.kind === 'table' ? nestedText(block.rows) : plainTextOf(block);
}

/** The text of a cell, in one line. */
export function cellText(blocks: readonly Block[]): string {
  return blocks
    .map(textInCell)
    .filter((text) => text.trim() !== '')
    .join(' ');
}

/** Whether a cell has headings or tables. */
export function isStructured(blocks: readonly Block[]): boolean {
  return blocks.some(({ kind }) => kind === 'table' || kind === 'heading');
}

/** Whether a cell is too long for a row, if it has headings or tables. Reads no more of it: tables can be nested deeply. */
export function isLongForCell(blocks: readonly Block[]): boolean {
  let length = 0;
  for (const block of blocks) {
    const rows = block.kind === 'table' ? block.rows : [[block.text]];
    for (const row of rows) {
      for (const text of row) length += text.length;
      if (length > MAX_STRUCTURED_CELL) return true;
    }
  }
  return false;
}
