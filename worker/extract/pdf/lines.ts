import type { TextItem, TextStyle } from 'pdfjs-dist/types/src/display/api.js';

/** One line of a page, with its position in the units of the page. */
export interface PdfLine {
  text: string;
  /** The direction of the text, in whole degrees. */
  angle: number;
  vertical: boolean;
  /** The start and end of the line along its direction. */
  start: number;
  end: number;
  /** The position across its direction: lower for lines further down. */
  baseline: number;
  /** The size of its largest letters. */
  size: number;
}

/** The position of a piece of text. */
function place({ transform, width, height }: TextItem, vertical: boolean): Omit<PdfLine, 'text'> {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform as number[];
  const size = Math.hypot(c, d);
  if (vertical) {
    return { angle: 0, vertical, start: -y, end: -y + height, baseline: x, size };
  }
  const scale = Math.hypot(a, b) || 1;
  const [right, up] = [a / scale, b / scale];
  const start = x * right + y * up;
  const angle = Math.round((Math.atan2(b, a) * 180) / Math.PI);
  return { angle, vertical, start, end: start + width, baseline: y * right - x * up, size };
}

/** Joins the pieces of a page into lines, in the order of the page. */
export function linesOf(items: readonly TextItem[], styles: Readonly<Record<string, TextStyle>>): PdfLine[] {
  const lines: PdfLine[] = [];
  let line: PdfLine | null = null;
  for (const item of items) {
    if (item.str !== '') {
      const spot = place(item, styles[item.fontName]?.vertical === true);
      if (line === null) line = { ...spot, text: item.str };
      else {
        line.text += item.str;
        line.start = Math.min(line.start, spot.start);
        line.end = Math.max(line.end, spot.end);
        if (item.str.trim() !== '') line.size = Math.max(line.size, spot.size);
      }
    }
    if (item.hasEOL && line !== null) {
      lines.push(line);
      line = null;
    }
  }
  if (line !== null) lines.push(line);
  return lines.filter(({ text }) => text.trim() !== '');
}
