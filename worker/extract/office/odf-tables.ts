import type { Block } from '../text.ts';
import { isLongForCell, isStructured } from './table-cells.ts';

/** A row of a table: the blocks of each cell, and in how many columns they are. */
export type Row = { blocks: readonly Block[]; times: number }[];

/** Whether a table only arranges a text: it has headings or tables in its only column, or in a cell that is too long for one. */
export function isLayout(rows: readonly Row[]): boolean {
  const structured = rows.flat().filter(({ blocks }) => isStructured(blocks));
  if (structured.length === 0) return false;
  return rows.every((row) => row.length < 2) || structured.some(({ blocks }) => isLongForCell(blocks));
}
