import type { Document } from '../documents/documents.ts';
import { type Block, Draw } from '../documents/draw.ts';

/** How the pieces of a page are drawn in PostScript. */
export const DRAWN_AS = ['lines', 'letters', 'backwards', 'shuffled', 'across', 'bold', 'turned'] as const;
type DrawnAs = (typeof DRAWN_AS)[number];

interface Piece {
  x: number;
  y: number;
  size: number;
  text: string;
  page: number;
}

/** The pieces of a document's headings, texts and tables on pages: lines and cells, in one column or two. */
function piecesOf({ blocks, size, header, footer }: Document): Piece[] {
  const pieces: Piece[] = [];
  let [page, y, columns, column] = [0, 780, 1, 0];
  const left = () => 56 + column * 250;
  const next = (height: number) => {
    y -= height;
    if (y > 60) return;
    y = 780 - height;
    column = (column + 1) % columns;
    if (column === 0) page += 1;
  };
  const lines = (text: string, width: number, of: number) => {
    const longest = Math.floor(width / (of * 0.56));
    return text.match(new RegExp(`\\S(?:.{0,${longest - 2}}\\S)?(?=\\s|$)`, 'gu')) ?? [];
  };
  const write = (block: Block): void => {
    if (block.is === 'columns') {
      [page, y, columns, column] = [page + (pieces.length === 0 ? 0 : 1), 780, 2, 0];
      block.blocks.forEach(write);
      [page, y, columns, column] = [page + 1, 780, 1, 0];
    } else if (block.is === 'table') {
      const width = 480 / (block.rows[0]?.length ?? 1);
      for (const row of block.rows) {
        const cells = row.map((text) => lines(text, width - 8, size));
        const height = Math.max(...cells.map((cell) => cell.length)) * size * 1.2;
        next(height + size * 0.5);
        cells.forEach((cell, x) =>
          cell.forEach((text, line) =>
            pieces.push({ x: 56 + x * width, y: y + height - line * size * 1.2, size, text, page }),
          ),
        );
      }
      next(size);
    } else if ('text' in block) {
      const of = block.is === 'heading' ? size * 1.4 : size;
      const width = columns === 2 ? 230 : 480;
      for (const text of block.text.split('\n').flatMap((line) => lines(line, width, of))) {
        next(of * 1.25);
        pieces.push({ x: left(), y, size: of, text, page });
      }
      next(size * 0.6);
    }
  };
  blocks.forEach(write);
  if (header === '') return pieces;
  const pages = [...new Set(pieces.map((piece) => piece.page))];
  const margin = pages.flatMap((each): Piece[] => [
    { x: 56, y: 810, size: 9, text: header, page: each },
    { x: 56, y: 36, size: 9, text: footer, page: each },
  ]);
  return [...pieces, ...margin];
}

/** A document in PostScript, whose pieces are drawn in the order and way of `as`. */
export function writePostScript(document: Document, as: DrawnAs): string {
  const draw = new Draw(as + document.header);
  const ordered = (pieces: Piece[]) => {
    if (as === 'shuffled') return draw.shuffled(pieces);
    return as === 'across' ? pieces.toSorted((a, b) => b.y - a.y || b.x - a.x) : pieces;
  };
  const string = (part: string) => `(${part.replaceAll(/[()\\]/g, '\\$&')})`;
  const show = ({ x, y, size, text }: Piece) => {
    const at = `${size.toFixed(1)} f ${x.toFixed(1)} ${y.toFixed(1)} moveto`;
    if (as === 'bold') return `${at} ${string(text)} show ${at} 0.3 0 rmoveto ${string(text)} show`;
    if (as === 'letters') return `${at} ${[...text].map((char) => `${string(char)} show`).join(' ')}`;
    if (as !== 'backwards') return `${at} ${string(text)} show`;
    const starts = [...text.matchAll(/\S+/gu)].toReversed();
    const word = (from: number, part: string) =>
      `${string(text.slice(0, from))} stringwidth rmoveto ${string(part)} show`;
    return starts.map(({ index, 0: part }) => `${at} ${word(index, part)}`).join('\n');
  };
  const pages = Map.groupBy(piecesOf(document), ({ page }) => page);
  const font = document.serif ? 'Times-Roman' : 'Helvetica';
  // Ghostscript sees the direction of the text and states it as the rotation of the page.
  const [size, turn] = as === 'turned' ? ['842 595', '90 rotate 0 -842 translate'] : ['595 842', ''];
  const bodies = [...pages.values()].map(
    (pieces) => `${turn}\n${ordered(pieces).map(show).join('\n')}\nshowpage`,
  );
  return `%!PS\n<< /PageSize [${size}] >> setpagedevice\n/f { /${font} exch selectfont } def\n${bodies.join('\n')}\n`;
}
