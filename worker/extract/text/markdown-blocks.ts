import { headingLine, joinBlocks, withoutHeadings } from './markdown-text.ts';

/** A block of a document that is converted to Markdown. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  /** An item of a list. Its depth counts from 1. */
  | { kind: 'item'; depth: number; text: string }
  | { kind: 'table'; rows: readonly (readonly string[])[] };

/** A list can be nested more deeply, but is not indented further. */
const MAX_INDENT = 10;

const cellText = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/**
 * A table, whose first row is that of the headings: Markdown has no table without them. Only that row gets the missing
 * cells: in all rows, one wide row could make a small table very large.
 */
function tableText(rows: readonly (readonly string[])[]): string {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
  const lines = filled.map((row, index) => {
    const missing = index === 0 ? Array<string>(width - row.length).fill('') : [];
    return `| ${[...row, ...missing].map(cellText).join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' - |'.repeat(width)}`);
  return filled.length === 0 ? '' : lines.join('\n');
}

function itemText({ depth, text }: Block & { kind: 'item' }): string {
  const indent = '  '.repeat(Math.min(depth, MAX_INDENT) - 1);
  return text
    .trim()
    .split('\n')
    .map((line, index) => `${indent}${index === 0 ? '- ' : '  '}${line}`)
    .join('\n');
}

/** The text of a block without its form, for a place that has none, such as a cell. */
export function plainTextOf(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join(' ')).join(' ') : block.text;
}

/** Converts blocks to Markdown. Blank blocks are left out, and the items of a list are lines of one block. */
export function toMarkdown(blocks: readonly Block[]): string {
  const texts: string[] = [];
  let items: string[] = [];
  const endList = () => {
    texts.push(withoutHeadings(items.join('\n')));
    items = [];
  };
  for (const block of blocks) {
    if (block.kind !== 'item') endList();
    if (block.kind === 'heading') texts.push(headingLine(block.text, block.level));
    else if (block.kind === 'table') texts.push(withoutHeadings(tableText(block.rows)));
    else if (block.kind === 'paragraph') texts.push(withoutHeadings(block.text.trim()));
    else if (block.text.trim() !== '') items.push(itemText(block));
  }
  endList();
  return joinBlocks(texts);
}
