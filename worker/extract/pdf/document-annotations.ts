import { AnnotationType, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Signature } from './fields.ts';
import type { Annotation } from './placed-text.ts';

/** How many pages are asked at once. Each call costs as much as the document has pages, so it must not be one. */
const BATCH_PAGES = 64;

const {
  TEXT,
  LINK,
  FREETEXT,
  LINE,
  SQUARE,
  CIRCLE,
  POLYGON,
  POLYLINE,
  HIGHLIGHT,
  UNDERLINE,
  SQUIGGLY,
  STRIKEOUT,
  STAMP,
  CARET,
  INK,
  FILEATTACHMENT,
  WIDGET,
} = AnnotationType;
const MARKUP_TYPES = [HIGHLIGHT, UNDERLINE, SQUIGGLY, STRIKEOUT, STAMP, CARET, INK, FILEATTACHMENT];
const SHAPE_TYPES = [LINE, SQUARE, CIRCLE, POLYGON, POLYLINE];
/** The types that `readAnnotations` reads. */
const READ_TYPES = new Set<number>([TEXT, LINK, FREETEXT, WIDGET, ...MARKUP_TYPES, ...SHAPE_TYPES]);

/** Whether a widget does not know its field, because it does not name its parent. */
const isOrphan = ({ subtype, fieldType }: Annotation) => subtype === 'Widget' && fieldType === null;

/**
 * The annotations of the pages of a document.
 *
 * `getAnnotations` of a page of pdf.js 6.5 extracts the text of the page once more if it has a link or a highlight,
 * collects that text for each of them, and reads all fields of the document. A small file can exhaust the memory with
 * it, and a file with links takes half as long again. `getAnnotationsByType` does neither.
 */
export class DocumentAnnotations {
  readonly #document: PDFDocumentProxy;
  /** The pages of the batch that was read last, by index. */
  #batch = new Map<number, Annotation[]>();

  constructor(document: PDFDocumentProxy) {
    this.#document = document;
  }

  /**
   * The annotations of a page; none if they cannot be read. Pages should be read in order.
   * @param number counts from 1
   */
  async ofPage(number: number): Promise<readonly unknown[]> {
    const index = number - 1;
    if (!this.#batch.has(index)) this.#batch = await this.#readBatch(index);
    const annotations = this.#batch.get(index);
    if (annotations !== undefined && !annotations.some(isOrphan)) return annotations;
    try {
      return await (await this.#document.getPage(number)).getAnnotations();
    } catch {
      return annotations ?? [];
    }
  }

  /** The signatures of the document if one of the annotations is a field for one. */
  async signaturesFor(annotations: readonly unknown[]): Promise<readonly Signature[]> {
    const fields = annotations as readonly (Annotation | null)[];
    if (!fields.some((field) => field?.fieldType === 'Sig')) return [];
    try {
      return ((await this.#document.getSignatures()) ?? []) as Signature[];
    } catch {
      return [];
    }
  }

  /** Reads the pages from an index; none of them if one cannot be read. */
  async #readBatch(from: number): Promise<Map<number, Annotation[]>> {
    const { numPages } = this.#document;
    const pages = Array.from({ length: numPages }, (_, index) => index);
    const skipped = new Set(pages.filter((index) => index < from || index >= from + BATCH_PAGES));
    const batch = new Map<number, Annotation[]>();
    try {
      // Null if the form of the document cannot be read, which the type does not say.
      const found = (await this.#document.getAnnotationsByType(READ_TYPES, skipped)) as Annotation[] | null;
      for (const index of pages.slice(from, from + BATCH_PAGES)) batch.set(index, []);
      for (const annotation of found ?? []) batch.get(annotation.pageIndex as number)?.push(annotation);
    } catch {
      // Without a batch, each page is read for itself.
    }
    return batch;
  }
}
