import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { MAX_CHUNKS } from '../../../shared/text/prepared-chunks.ts';
import { type Extraction, type Extractor, FileFault, type TellProgress } from '../extraction.ts';
import { oneLine } from '../text/markdown-text.ts';
import { linesOf, type PdfLine } from './lines.ts';
import { paragraphsOf, wordsOf } from './paragraphs.ts';

/** Where the library's own files are, which it needs for the encodings of Chinese, Japanese and Korean. */
const LIBRARY = new URL('./', import.meta.resolve('pdfjs-dist/package.json'));
const folder = (name: string) => fileURLToPath(new URL(`${name}/`, LIBRARY));

/**
 * Each page with text is at least one chunk, so a document of more pages is refused at once. A page can stand in the
 * list of pages any number of times, so a small file can have many.
 */
const MAX_PAGES = MAX_CHUNKS;

/** What programs write where they know no title. */
const NO_TITLE = /^(?:untitled|unbenannt|title|microsoft (?:word|powerpoint|excel) - .*)$/i;

/** What is wrong with a document that the library does not open, or a page that it does not read. */
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
 * Whether the letters are those that the pages show. A font that was cut to the letters it needs may not say which they
 * are; what comes then is their numbers in the font, and that of the space, as of many others, is a control character.
 * The share is a guess: a twentieth is less than the spaces of any language that has them, and far more than stray ones.
 */
function isLegible(parts: readonly { text: string }[]): boolean {
  const letters = parts.map(({ text }) => text.replaceAll(/\s/g, '')).join('');
  return (letters.match(/[\p{Cc}\uFFFD]/gu)?.length ?? 0) <= letters.length / 20;
}

async function titleOf(document: PDFDocumentProxy): Promise<string | null> {
  const { info, metadata } = await document.getMetadata();
  const given = [(info as { Title?: unknown }).Title, metadata?.get('dc:title')]
    .map((title) => (typeof title === 'string' ? oneLine(title) : ''))
    .find((title) => title !== '' && !NO_TITLE.test(title));
  return given ?? null;
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
    // A copy: the library takes what it is given for its own.
    data: new Uint8Array(content),
    cMapUrl: folder('cmaps'),
    standardFontDataUrl: folder('standard_fonts'),
    // No pictures are decoded and no fonts shown.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });
}

async function readDocument(document: PDFDocumentProxy, tell: TellProgress): Promise<Extraction> {
  if (document.numPages > MAX_PAGES) {
    throw new FileFault(
      'too_many_pages',
      `The PDF has ${document.numPages} pages, more than the ${MAX_PAGES} that can be read: divide it.`,
    );
  }
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    pages.push(await readPage(document, number));
    tell(number / document.numPages);
  }
  const words = wordsOf(pages);
  const parts = pages
    .map((lines, index) => ({ text: paragraphsOf(lines, words), page: index + 1 }))
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
      'The PDF does not tell which letters its fonts show: run text recognition (OCR) over it and import the result.',
    );
  }
  return { title: await titleOf(document), parts };
}

/**
 * The library waits for some objects only where it needs them, so that one which is broken can reject a promise that
 * nobody hears. What is wrong with the document is told by the call that fails; the process must not end by it.
 */
async function withUnheardRejections<T>(work: () => Promise<T>): Promise<T> {
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
 * PDF: each page with text a part, with its number.
 * @throws FileFault `locked`, `corrupt`, `too_deep`, `too_many_pages`; `no_text` for pictures of pages, and where its fonts do
 * not tell their letters
 */
export const extractPdf: Extractor = (content, tell) =>
  withUnheardRejections(async () => {
    const task = open(content);
    try {
      return await readDocument(await task.promise, tell);
    } catch (error) {
      throw openingFault(error);
    } finally {
      await task.destroy();
    }
  });
