import type { Document } from './documents.ts';
import type { Block } from './draw.ts';

const escapeRoff = (text: string) => text.replaceAll('\\', '\\e').replaceAll(/\^(\d)/gu, '\\*{$1\\*}');

/** A document for groff with the macros ms and the tables of tbl. */
export function writeRoff({ blocks, header, footer, size, justified }: Document): string {
  const write = (block: Block): string[] => {
    if (block.is === 'heading') return ['.SH', block.text];
    if (block.is === 'note' || block.is === 'caption') return ['.LP', '.SM', block.text, '.NL'];
    if (block.is === 'text') {
      const lines = escapeRoff(block.text).split('\n');
      return [size > 10 ? '.PP' : '.LP', ...lines.flatMap((line) => [line, '.br'])];
    }
    if (block.is === 'twice') return ['.LP', `\\Z'${block.text}'\\h'0.3p'${block.text}`];
    if (block.is === 'list')
      return block.items.flatMap((item, at) => [block.ordered ? `.IP ${at + 1}. 4` : '.IP \\(bu 3', item]);
    if (block.is === 'code') return ['.LD', '.ft C', ...block.lines, '.ft R', '.DE'];
    if (block.is === 'contents') {
      const lines = block.rows.map(([title, page]) => `${title} \u0001 ${page}`);
      return ['.LD', '.ta 15cR', '.lc .', ...lines, '.DE', '.ta T 0.5i'];
    }
    if (block.is === 'columns')
      return [block.count === 2 ? '.2C' : '.MC 4.5c 0.6c', ...block.blocks.flatMap(write), '.1C'];
    if (block.is === 'beside') return block.sides.flat().flatMap(write);
    const options = { ruled: 'allbox', plain: 'center', zebra: 'box', lines: 'expand' }[block.look];
    const width = Math.floor(400 / size / (block.rows[0]?.length ?? 1)) - 2;
    const numeric = (x: number) => block.rows.slice(1).every((row) => /^[\d.,]*$/.test(row[x] ?? ''));
    const columns = block.rows[0]?.map((_, x) => `${numeric(x) ? 'r' : 'l'}w(${width}m)`).join(' ');
    const row = (cells: readonly string[]) => {
      const line = cells.map((cell) => (cell.length > width * 1.7 ? `T{\n${cell}\nT}` : cell)).join('\t');
      return block.look === 'lines' ? `${line}\n_` : line;
    };
    const [head = '', ...rows] = block.rows.map(row);
    const heading = ['.LP', block.head ? '.TS H' : '.TS', `${options};`, `${columns}.`, head];
    return [...heading, ...(block.head ? ['.TH'] : []), ...rows, '.TE'];
  };
  const letters = [`.nr PS ${size}`, `.nr VS ${Math.round(size * 1.25)}`];
  const margins = [`.ds LH ${header}`, '.ds CH', '.ds RH', `.ds LF ${footer}`, '.ds CF \\\\n(PN', '.P1'];
  return [...letters, ...margins, justified ? '.ad b' : '.na', ...blocks.flatMap(write), ''].join('\n');
}
