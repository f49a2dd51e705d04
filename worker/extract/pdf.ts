import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  getDocument,
  PDFDateString,
  type PDFDocumentLoadingTask,
  type PDFDocumentProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Unread } from '../../shared/schemas/unread.ts';
import { type DocumentPart, MAX_CHUNKS } from '../../shared/text/prepared-chunks.ts';
import { type Extraction, type Extractor, FileFault, type ReportProgress } from './extraction.ts';
import { attachmentNames } from './pdf/annotations.ts';
import { DocumentAnnotations } from './pdf/document-annotations.ts';
import { DOCUMENT_WITHOUT_FONTS } from './pdf/no-fonts.ts';
import { readPage } from './pdf/page.ts';
import { carryHeadings, leaveOutRepeats, linesOfPage, type PageText, textOfPage } from './pdf/pages.ts';
import { Vocabulary } from './pdf/paragraphs.ts';
import { documentDay } from './properties/days.ts';
import { documentTitle } from './properties/titles.ts';
import { TextBudget, withoutHeadings } from './text.ts';

/** The folder of the library, with the files that it needs for the encodings of Chinese, Japanese and Korean. */
const LIBRARY = new URL('./', import.meta.resolve('pdfjs-dist/package.json'));
const folder = (name: string) => fileURLToPath(new URL(`${name}/`, LIBRARY));

/**
 * Each page with text is at least one chunk, so a document with more pages is refused at once. A small file can have
 * many pages, because the list of pages can contain the same page any number of times.
 */
const MAX_PAGES = MAX_CHUNKS;

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
 * Whether the extracted letters are the ones that a page shows. A font that has only the needed letters may not
 * state which letters they are. The extracted characters are then their numbers in the font, and the number of the
 * space, like many others, is a control character. The limit is a guess: one in twenty is less than the share of spaces
 * in any language that has them, and far more than a few stray control characters.
 */
function isLegible(text: string): boolean {
  const letters = text.replaceAll(/\s/g, '');
  return (letters.match(/[\p{Cc}\uFFFD]/gu)?.length ?? 0) <= letters.length / 20;
}

type Metadata = Awaited<ReturnType<PDFDocumentProxy['getMetadata']>>;

/** The title of the document, and the day on which it was last changed. */
function propertiesOf({ info, metadata }: Metadata): Pick<Extraction, 'title' | 'date'> {
  const { Title, ModDate, CreationDate } = info as Partial<Record<string, unknown>>;
  const titles = [Title, metadata?.get('dc:title')].map((title) => (typeof title === 'string' ? title : ''));
  const times = [ModDate, CreationDate].map((date) =>
    typeof date === 'string' ? PDFDateString.toDateObject(date) : null,
  );
  return { title: documentTitle(...titles), date: documentDay('pdf', ...times) };
}

function open(content: Uint8Array): PDFDocumentLoadingTask {
  return getDocument({
    // A copy, because the library takes ownership of the buffer.
    data: new Uint8Array(content),
    cMapUrl: folder('cmaps'),
    // With font faces, the library computes no outlines of letters.
    disableFontFace: false,
    ownerDocument: DOCUMENT_WITHOUT_FONTS,
    useSystemFonts: false,
    // Pictures hold no text that could be read.
    maxImageSize: 0,
    useWasm: false,
    enableXfa: false,
    verbosity: VerbosityLevel.ERRORS,
  });
}

/** How many pages are read before the fonts of the document are freed. */
const PAGES_WITH_FONTS = 100;

const NO_TEXT =
  'The pages hold pictures but no text: run text recognition (OCR) over them and import the result.';
const NO_LETTERS =
  'The PDF does not state which letters its fonts show: run text recognition (OCR) over it and import the result.';

/** The pages of a document: null for each that could not be read, and the fault of the first of these. */
async function readPages(document: PDFDocumentProxy, report: ReportProgress) {
  const layers = await document.getOptionalContentConfig().catch(() => null);
  const isVisible = (group: unknown) => layers?.isVisible(group) ?? true;
  const annotationsOf = new DocumentAnnotations(document);
  const budget = new TextBudget();
  const pages: (PageText | null)[] = [];
  const attached = new Set<string>();
  let fault: FileFault | null = null;
  for (let number = 1; number <= document.numPages; number += 1) {
    try {
      const annotations = await annotationsOf.ofPage(number);
      const signatures = await annotationsOf.signaturesFor(annotations);
      const page = await readPage(await document.getPage(number), isVisible, annotations, signatures);
      for (const line of linesOfPage(page)) budget.addText(line.length);
      for (const name of attachmentNames(null, annotations)) attached.add(name);
      pages.push(page);
    } catch (error) {
      // The text of the document is too long; other errors are those of one page.
      if (error instanceof FileFault) throw error;
      fault ??= openingFault(error);
      pages.push(null);
    }
    if (number % PAGES_WITH_FONTS === 0) await document.cleanup();
    report(number / document.numPages);
  }
  return { pages, fault, attached };
}

async function readDocument(document: PDFDocumentProxy, report: ReportProgress): Promise<Extraction> {
  if (document.numPages > MAX_PAGES) {
    throw new FileFault(
      'too_many_pages',
      `The PDF has ${document.numPages} pages, more than the ${MAX_PAGES} that can be read: divide it.`,
    );
  }
  const { pages, fault, attached } = await readPages(document, report);
  const texts = textsOf(pages.filter((page) => page !== null));
  const parts: DocumentPart[] = [];
  const unread: Unread[] = [];
  for (const [index, page] of pages.entries()) {
    const number = index + 1;
    const text = page === null ? '' : (texts.get(page) ?? '');
    const isRead = text !== '' && isLegible(text);
    if (isRead) parts.push({ text, place: { page: number } });
    else
      unread.push({
        kind: 'page',
        names: [number],
        reason: page === null ? 'damaged' : text === '' ? 'no_text' : 'no_letters',
      });
  }
  if (parts.length === 0) {
    const lacksLetters = unread.some(({ reason }) => reason === 'no_letters');
    throw fault ?? new FileFault('no_text', lacksLetters ? NO_LETTERS : NO_TEXT);
  }
  const names = attachmentNames(await document.getAttachments());
  const files = [...new Set([...names, ...attached])];
  if (files.length > 0) {
    unread.push({ kind: 'attachment', names: files, reason: 'not_read' });
    const last = parts.at(-1);
    if (last !== undefined) last.text += `\n\n${files.map((name) => `Attached file: ${name}`).join('\n')}`;
  }
  const metadata = await document.getMetadata();
  if (isFormWithoutPages(metadata)) unread.push({ kind: 'part', names: ['XFA form'], reason: 'not_read' });
  return { ...propertiesOf(metadata), parts, unread };
}

/** The texts of pages: what repeats at their edges is in the first of them only. */
function textsOf(pages: readonly PageText[]): Map<PageText, string> {
  const words = new Vocabulary();
  for (const page of pages) words.add(linesOfPage(page));
  leaveOutRepeats(pages);
  carryHeadings(pages);
  return new Map(pages.map((page) => [page, withoutHeadings(textOfPage(page, words))]));
}

/** Whether the document is a form of Adobe's XML forms, whose pages are made only by a program for them. */
function isFormWithoutPages({ info }: Metadata): boolean {
  const { IsXFAPresent, IsAcroFormPresent } = info as Partial<Record<string, unknown>>;
  return IsXFAPresent === true && IsAcroFormPresent !== true;
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
