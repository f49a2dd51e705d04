import type { Block, TextBudget } from '../../text.ts';
import { cellText, isLongForCell, isStructured } from '../table-cells.ts';

/** A cell of a table. */
export interface Cell {
  blocks: Block[];
  /** How many columns it takes. */
  span: number;
  /** Whether it continues the cell above it or before it, so that its own content is not shown. */
  isContinued: boolean;
}

/** A row of a table. */
export interface Row {
  cells: Cell[];
  /** Columns before its first cell. */
  before: number;
  /** Hidden or deleted. */
  isLeftOut: boolean;
}

/** Word has no more columns. */
export const MAX_COLUMNS = 63;

/**
 * Whether a table only arranges the text of a page: it has one column, or one row with headings or tables in it, or one
 * such cell that is too long for a row.
 */
function isLayout(rows: readonly Row[]): boolean {
  if (rows.every(({ cells, before }) => before + cells.length < 2)) return true;
  const structured = rows.flatMap(({ cells }) => cells).filter(({ blocks }) => isStructured(blocks));
  if (structured.length === 0) return false;
  return rows.length === 1 || structured.some(({ blocks }) => isLongForCell(blocks));
}

/**
 * The blocks of a table: its rows with each cell in its column, or the text of its cells if it is only the layout of text.
 * @throws FileFault `too_many_chunks`
 */
export function tableBlocks(given: readonly Row[], budget: TextBudget): Block[] {
  const rows = given.filter(({ isLeftOut }) => !isLeftOut);
  if (isLayout(rows)) return rows.flatMap(({ cells }) => cells.flatMap(({ blocks }) => blocks));
  const texts = rows.map(({ cells, before }) => {
    const row = Array<string>(before).fill('');
    for (const { blocks, span, isContinued } of cells) {
      row.push(isContinued ? '' : cellText(blocks));
      for (let column = 1; column < span; column++) row.push('');
    }
    budget.addText(row.reduce((sum, text) => sum + text.length + 1, 0));
    return row.slice(0, row.findLastIndex((text) => text !== '') + 1);
  });
  return [{ kind: 'table', rows: texts }];
}
