import type { Block } from '../text.ts';
import { textInCell } from './nested-tables.ts';

/** A cell with headings or tables and more text than this, in characters, is a part of the layout of the page. */
const MAX_STRUCTURED_CELL = 2_000;

/** A row of a table: the blocks of each cell, and in how many columns they are. */
export type Row = { blocks: readonly Block[]; times: number }[];

/** The text of a cell, in one line. */
export const cellText = (blocks: readonly Block[]) => blocks.map(textInCell).join(' ');

/** Whether blocks have more characters than this. Reads no more of them, because tables can be nested deeply. */
function isLonger(blocks: readonly Block[], most: number): boolean {
  let length = 0;
  for (const block of blocks) {
    const rows = block.kind === 'table' ? block.rows : [[block.text]];
    for (const row of rows) {
      for (const text of row) length += text.length;
      if (length > most) return true;
    }
  }
  return false;
}

const isStructure = ({ kind }: Block) => kind === 'table' || kind === 'heading';

/** Whether a table only arranges a text: it has headings or tables in its only column, or in a cell that is too long for one. */
export function isLayout(rows: readonly Row[]): boolean {
  const structured = rows.flat().filter(({ blocks }) => blocks.some(isStructure));
  if (structured.length === 0) return false;
  return (
    rows.every((row) => row.length < 2) ||
    structured.some(({ blocks }) => isLonger(blocks, MAX_STRUCTURED_CELL))
  );
}
