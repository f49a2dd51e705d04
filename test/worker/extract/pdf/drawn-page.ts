import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { type PdfPlan, type PdfTextLine, writePdf } from '../../../support/pdf-writer.ts';
import { extracted, textOf } from '../extraction.ts';

/* Pages drawn piece by piece, with the widths of the letters of Helvetica. */

/** What is drawn on a page: texts, and operators. */
export type Drawn = PdfTextLine | string;

/** The widths of the letters of Helvetica from the space to the tilde, in thousandths of the size. */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/** The width of a text in Helvetica. */
export const widthOf = (text: string, size = 12): number =>
  Array.from(text, (letter) => WIDTHS[(letter.codePointAt(0) ?? 0) - 32] ?? 556).reduce((a, b) => a + b, 0) *
  (size / 1000);

/** A font with the letters of Helvetica's bold. */
export const BOLD = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>';
/** A font whose letters are equally wide. */
export const COURIER = '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>';

type Style = Pick<PdfTextLine, 'size' | 'font'>;

/** A text that one operator draws. */
export const at = (x: number, y: number, text: string, style: Style = {}): PdfTextLine => ({
  x,
  y,
  bytes: Buffer.from(text, 'latin1'),
  ...style,
});

/** A text of which each word is drawn by itself, with a gap between words. */
export function wordsAt(x: number, y: number, text: string, style: Style = {}): PdfTextLine[] {
  const { size = 12 } = style;
  let left = x;
  return text.split(' ').map((word) => {
    const piece = at(left, y, word, style);
    left += widthOf(`${word} `, size);
    return piece;
  });
}

/** A text of which each letter but no space is drawn by itself. @param spacing between letters */
export function lettersAt(x: number, y: number, text: string, spacing = 0, style: Style = {}): PdfTextLine[] {
  let left = x;
  return [...text].flatMap((letter) => {
    const piece = at(left, y, letter, style);
    left += widthOf(letter, style.size) + spacing;
    return letter === ' ' ? [] : [piece];
  });
}

/** Lines one below the other. */
export const linesAt = (x: number, top: number, texts: readonly string[], step = 15, style: Style = {}) =>
  texts.map((text, index) => at(x, top - step * index, text, style));

/** A straight line. */
export const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `0.5 w ${x1} ${y1} m ${x2} ${y2} l S`;

/** Operators that draw pieces as the text rendering mode says: 3 is invisible. */
export const inMode = (mode: number, ...drawn: readonly Drawn[]): Drawn[] => [`q ${mode} Tr`, ...drawn, 'Q'];

/** Text in a group of optional content. */
export const inLayer = (name: string, ...drawn: readonly Drawn[]): Drawn[] => [
  `/OC /${name} BDC`,
  ...drawn,
  'EMC',
];

/** Rows of cells whose columns begin at these places. A cell with line breaks has several lines. */
export const rowsAt = (
  lefts: readonly number[],
  top: number,
  rows: readonly (readonly string[])[],
  step = 16,
  style: Style = {},
): PdfTextLine[] =>
  rows.flatMap((row, index) =>
    row.flatMap((cell, column) =>
      cell === '' ? [] : linesAt(lefts[column] ?? 0, top - step * index, cell.split('\n'), 12, style),
    ),
  );

/** The rules of a grid with edges at these places. */
export const gridAt = (xs: readonly number[], ys: readonly number[]): string[] => [
  ...xs.map((x) => rule(x, Math.min(...ys), x, Math.max(...ys))),
  ...ys.map((y) => rule(Math.min(...xs), y, Math.max(...xs), y)),
];

/** A PDF of one page. */
export const pageOf = (drawn: readonly Drawn[], plan: Partial<PdfPlan> = {}): Buffer =>
  writePdf({ pages: [drawn], fonts: { B: BOLD, C: COURIER }, ...plan });

/** The text of a page. */
export const readDrawn = (drawn: readonly Drawn[], plan: Partial<PdfPlan> = {}): Promise<string> =>
  textOf(extractPdf, pageOf(drawn, plan));

/** The texts of the pages of a document. */
export async function readPages(
  pages: readonly (readonly Drawn[])[],
  plan: Partial<PdfPlan> = {},
): Promise<string[]> {
  const content = writePdf({ pages, fonts: { B: BOLD, C: COURIER }, ...plan });
  return (await extracted(extractPdf, content)).parts.map(({ text }) => text);
}
