import type { Document } from './documents.ts';
import type { Block } from './draw.ts';

export const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
export const isRightToLeft = ({ language }: Document) => /he|ar/.test(language);

export type Table = Extract<Block, { is: 'table' }>;

/** How many columns and rows a cell covers. */
export function spanOf({ rows }: Table, x: number, y: number) {
  const across = rows[y]?.findIndex((cell, at) => at > x && cell !== '<') ?? -1;
  const down = rows.findIndex((row, at) => at > y && row[x] !== '^');
  return {
    columns: (across < 0 ? (rows[y]?.length ?? 0) : across) - x,
    rows: (down < 0 ? rows.length : down) - y,
  };
}

export const isCovered = (text: string) => text === '<' || text === '^';
export const isNumeric = (text: string) => /^[\d.,]+$/.test(text);
