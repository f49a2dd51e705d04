import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  PDFDateString,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { dayOf } from '../../../shared/text/fields.ts';
import { MAX_CHUNKS } from '../../../shared/text/prepared-chunks.ts';
import { type Extraction, type Extractor, FileFault, type ReportProgress } from '../extraction.ts';
import { oneLine } from '../text/markdown-text.ts';
import { linesOf, type PdfLine } from './lines.ts';
import { paragraphsOf, wordsOf } from './paragraphs.ts';

/** The folder of the library, with the files that it needs for the encodings of Chinese, Japanese and Korean. */
const LIBRARY = new URL('./', import.meta.resolve('pdfjs-dist/package.json'));
const folder = (name: string) => fileURLToPath(new URL(`${name}/`, LIBRARY));

/**
 * Each page with text is at least one chunk, so a document with more pages is refused at once. A small file can have
 * many pages, because the list of pages can contain the same page any number of times.
 */
const MAX_PAGES = MAX_CHUNKS;

/** Titles that programs write if they know no title. */
const NO_TITLE = /^(?:untitled|unbenannt|title|microsoft (?:word|powerpoint|excel) - .*)$/i;

/** The fault for an error of the library when it opens a document or reads a page. */
function openingFault(error: unknown): FileFault {
  if (error instanceof FileFault) return error;
  if (error instanceof Error && error.name === 'PasswordException') {
    return new FileFault(
      'locked',
      'The PDF can be opened only with a password: save it without one and import it again.',
    );
  }
  if (error instanceof RangeError) {
    return new FileFault('too_deep', 'The PDF is nested too deeply to be read: print it to a new PDF.');
  }
  return new FileFault('corrupt', 'The PDF is damaged or incomplete: send it again from a copy that opens.');
}

/**
 * Whether the extracted letters are the ones that the pages show. A font that has only the needed letters may not
 * state which letters they are. The extracted characters are then their numbers in the font, and the number of the
 * space, like many others, is a control character. The limit is a guess: one in twenty is less than the share of spaces
 * in any language that has them, and far more than a few stray control characters.
 */
function isLegible(parts: readonly { text: string }[]): boolean {
  const letters = parts.map(({ text }) => text.replaceAll(/\s/g, '')).join('');
  return (letters.match(/[\p{Cc}\uFFFD]/gu)?.length ?? 0) <= letters.length / 20;
}

/** The title of the document, and the day on which it was last changed. */
async function readProperties(document: PDFDocumentProxy): Promise<Pick<Extraction, 'title' | 'date'>> {
  const { info, metadata } = await document.getMetadata();
  const { Title, ModDate, CreationDate } = info as Partial<Record<string, unknown>>;
  const title = [Title, metadata?.get('dc:title')]
    .map((title) => (typeof title === 'string' ? oneLine(title) : ''))
    .find((title) => title !== '' && !NO_TITLE.test(title));
  const changed = [ModDate, CreationDate].find((date) => typeof date === 'string');
  const time = changed === undefined ? null : PDFDateString.toDateObject(changed);
  return { title: title ?? null, date: time === null ? null : dayOf(time) };
}

async function readPage(document: PDFDocumentProxy, number: number): Promise<PdfLine[]> {
  const page = await document.getPage(number);
  const { items, styles } = await page.getTextContent();
  page.cleanup();
  return linesOf(
    items.filter((item): item is TextItem => 'str' in item),
    styles as Parameters<typeof linesOf>[1],
  );
}

function open(content: Uint8Array): PDFDocumentLoadingTask {
  return getDocument({
    // A copy, because the library takes ownership of the buffer.
    data: new Uint8Array(content),
    cMapUrl: folder('cmaps'),
    standardFontDataUrl: folder('standard_fonts'),
    // Nothing is rendered, so fonts are not loaded.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });
}

async function readDocument(document: PDFDocumentProxy, report: ReportProgress): Promise<Extraction> {
  if (document.numPages > MAX_PAGES) {
    throw new FileFault(
      'too_many_pages',
      `The PDF has ${document.numPages} pages, more than the ${MAX_PAGES} that can be read: divide it.`,
    );
  }
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    pages.push(await readPage(document, number));
    report(number / document.numPages);
  }
  const words = wordsOf(pages);
  const parts = pages
    .map((lines, index) => ({ text: paragraphsOf(lines, words), place: { page: index + 1 } }))
    .filter(({ text }) => text !== '');
  if (parts.length === 0) {
    throw new FileFault(
      'no_text',
      'The pages hold pictures but no text: run text recognition (OCR) over them and import the result.',
    );
  }
  if (!isLegible(parts)) {
    throw new FileFault(
      'no_text',
      'The PDF does not state which letters its fonts show: run text recognition (OCR) over it and import the result.',
    );
  }
  return { ...(await readProperties(document)), parts };
}

/**
 * The library awaits some objects only when it needs them, so a broken object can reject a promise without a handler.
 * The call that fails later reports the fault. The unhandled rejection must not end the process.
 */
async function ignoringUnhandledRejections<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined;
  process.on('unhandledRejection', ignore);
  try {
    return await work();
  } finally {
    await turn();
    process.off('unhandledRejection', ignore);
  }
}

/**
 * Reads a PDF: each page with text is a part, with its page number.
 * @throws FileFault `locked`, `corrupt`, `too_deep`, `too_many_pages`; `no_text` if the pages are pictures, or the
 * fonts do not state their letters
 */
export const extractPdf: Extractor = (content, report) =>
  ignoringUnhandledRejections(async () => {
    const task = open(content);
    try {
      return await readDocument(await task.promise, report);
    } catch (error) {
      throw openingFault(error);
    } finally {
      await task.destroy();
    }
  });
