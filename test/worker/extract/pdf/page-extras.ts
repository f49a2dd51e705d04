import assert from 'node:assert/strict';
import { getDocument, type PDFPageProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import {
  attachmentNames,
  type PageExtras,
  type Rect,
  readAnnotations,
} from '../../../../worker/extract/pdf/annotations.ts';
import { DocumentAnnotations } from '../../../../worker/extract/pdf/document-annotations.ts';
import { type PdfAnnotation, type PdfPlan, type PdfTextLine, writePdf } from '../../../support/pdf-writer.ts';

/** The text of a page by rectangle: the letters whose middle is in it, if all letters of a piece are equally wide. */
async function textByPlace(page: PDFPageProxy): Promise<(rect: Rect) => string> {
  const { items } = await page.getTextContent();
  const letters = items.flatMap((item) => {
    if (!('str' in item)) return [];
    const [, , , , x, y] = item.transform as [number, number, number, number, number, number];
    const width = item.width / Math.max(1, item.str.length);
    const text = item.hasEOL ? `${item.str} ` : item.str;
    return Array.from(text, (letter, at) => ({ letter, x: x + (at + 0.5) * width, y: y + item.height / 3 }));
  });
  return ([left, bottom, right, top]) =>
    letters
      .filter(({ x, y }) => x > left && x < right && y > bottom && y < top)
      .map(({ letter }) => letter)
      .join('');
}

/** What the pages of a PDF show beside their text, and the names of the files that are attached. */
export async function pageExtrasOf(
  content: Uint8Array,
): Promise<{ pages: PageExtras[]; attachments: string[]; annotations: (readonly unknown[])[] }> {
  const task = getDocument({ data: new Uint8Array(content), verbosity: VerbosityLevel.ERRORS });
  try {
    const document = await task.promise;
    const pages: PageExtras[] = [];
    const annotations: (readonly unknown[])[] = [];
    const all = new DocumentAnnotations(document);
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const found = await all.ofPage(number);
      pages.push(readAnnotations(found, await textByPlace(page), await all.signaturesFor(found)));
      annotations.push(found);
    }
    return {
      pages,
      attachments: attachmentNames(await document.getAttachments(), annotations.flat()),
      annotations,
    };
  } finally {
    await task.destroy();
  }
}

/** A line of text at a place. */
export const textLine = (x: number, y: number, text: string): PdfTextLine => ({ x, y, bytes: text });

/** A PDF of one page with these lines and annotations. */
export const onePage = (
  lines: readonly PdfTextLine[],
  annotations: readonly (string | PdfAnnotation)[],
  plan?: Partial<PdfPlan>,
) =>
  writePdf({
    pages: [lines.length === 0 ? [textLine(50, 20, 'page')] : lines],
    annotations: annotations.map((each) => (typeof each === 'string' ? { entries: each } : each)),
    ...plan,
  });

/** What a page with these lines and annotations shows beside its text. */
export async function extrasOf(...document: Parameters<typeof onePage>) {
  const { pages } = await pageExtrasOf(onePage(...document));
  assert.ok(pages[0]);
  return pages[0];
}

/** The placed texts of a page without text, and that it has no notes. */
export async function placedOf(...annotations: (string | PdfAnnotation)[]): Promise<string[]> {
  const { placed, notes } = await extrasOf([], annotations);
  assert.deepEqual(notes, []);
  return placed.map(({ text }) => text);
}

/** The notes of a page, and that nothing is placed on it. */
export async function notesOf(lines: readonly PdfTextLine[], ...annotations: string[]): Promise<string[]> {
  const { placed, notes } = await extrasOf(lines, annotations);
  assert.deepEqual(placed, []);
  return notes;
}

/** The rectangle of an annotation. */
export const AT = '/Rect [100 700 300 720]';
/** A form field. */
export const widget = (entries: string, rect = AT) => `/Subtype /Widget ${rect} /F 4 ${entries}`;
export const textField = (entries: string) => widget(`/FT /Tx /T (supplier) ${entries}`);
/** The content stream of a field or of typed text. */
export const draw = (text: string) => `/Tx BMC q BT /F1 10 Tf 2 5 Td (${text}) Tj ET Q EMC`;
/** The entries of a check box that is checked. */
export const CHECKED = '/V /Yes /AS /Yes /AP << /N << /Yes << >> /Off << >> >> >>';
