import { getDocument, type PDFPageProxy, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import {
  attachmentNames,
  hasSignatureField,
  type PageExtras,
  type Rect,
  readAnnotations,
  type Signature,
} from '../../../../worker/extract/pdf/annotations.ts';

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
): Promise<{ pages: PageExtras[]; attachments: string[]; annotations: unknown[][] }> {
  const task = getDocument({ data: new Uint8Array(content), verbosity: VerbosityLevel.ERRORS });
  try {
    const document = await task.promise;
    const pages: PageExtras[] = [];
    const annotations: unknown[][] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const found: unknown[] = await page.getAnnotations();
      const signatures = hasSignatureField(found) ? await document.getSignatures() : null;
      pages.push(readAnnotations(found, await textByPlace(page), (signatures ?? []) as Signature[]));
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
