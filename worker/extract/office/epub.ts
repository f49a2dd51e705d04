import { posix } from 'node:path';
import { decodeMarkup } from '../encoding/markup.ts';
import { type Extraction, type Extractor, FileFault } from '../extraction.ts';
import { readHtml, xhtmlAsHtml } from '../html.ts';
import { documentTitle } from '../properties/titles.ts';
import { UnreadParts } from '../unread-parts.ts';
import { mismatchFault } from './package.ts';
import { attributeOf, elementsAt, ownText, readPackageXml, type XmlElement } from './xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';

/** The title and the paths of the chapters in the order in which they are read, also of those that are not in the archive. */
interface Book {
  title: string | null;
  chapters: string[];
}

/** A path within the archive, from a reference in one of its files. */
function resolvePath(from: string, reference: string): string {
  const [path = ''] = reference.split('#', 1);
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // The path is not encoded, or is encoded wrongly, so it is used literally.
  }
  return posix.join(posix.dirname(from), decoded);
}

async function findPackage(archive: ZipArchive): Promise<string> {
  const container = await archive.read(CONTAINER);
  if (container === null) {
    throw mismatchFault('EPUB', null);
  }
  const [rootFile] = elementsAt(readPackageXml(container), 'container', 'rootfiles', 'rootfile');
  return posix.normalize(attributeOf(rootFile, 'full-path') ?? '');
}

/** The files in reading order. The table of contents is left out, because it repeats the headings. */
function chapterPaths(packagePath: string, book: XmlElement): string[] {
  const items = new Map(
    elementsAt(book, 'manifest', 'item').map((item) => [attributeOf(item, 'id') ?? '', item]),
  );
  const paths = elementsAt(book, 'spine', 'itemref').flatMap((reference) => {
    const item = items.get(attributeOf(reference, 'idref') ?? '');
    const href = attributeOf(item, 'href');
    const isContents = (attributeOf(item, 'properties') ?? '').split(/\s+/).includes('nav');
    const isPicture = attributeOf(item, 'media-type')?.startsWith('image/') ?? false;
    return href === null || isContents || isPicture ? [] : [resolvePath(packagePath, href)];
  });
  return [...new Set(paths)];
}

async function readBook(archive: ZipArchive): Promise<Book> {
  const path = await findPackage(archive);
  const content = await archive.read(path);
  const [book] = content === null ? [] : elementsAt(readPackageXml(content), 'package');
  const chapters = book === undefined ? [] : chapterPaths(path, book);
  if (book === undefined || !chapters.some((each) => archive.names.has(each))) {
    throw new FileFault('corrupt', 'The book is damaged: it does not name chapters that are in it.');
  }
  const titles = elementsAt(book, 'metadata', 'title').map(ownText);
  return { title: documentTitle(...titles), chapters };
}

/** Refuses books with encrypted chapters. Books in which only fonts are encrypted can be read. */
async function refuseEncrypted(archive: ZipArchive, chapters: readonly string[]): Promise<void> {
  const content = await archive.read(ENCRYPTION);
  if (content === null) return;
  const references = elementsAt(
    readPackageXml(content),
    'encryption',
    'EncryptedData',
    'CipherData',
    'CipherReference',
  );
  const encrypted = new Set(references.map((each) => resolvePath('', attributeOf(each, 'URI') ?? '')));
  if (!chapters.some((chapter) => encrypted.has(chapter))) return;
  throw new FileFault('locked', 'The book is protected against copying: import a copy without protection.');
}

/** The text of a chapter as Markdown. */
async function readChapter(archive: ZipArchive, path: string): Promise<string> {
  const chapter = await archive.read(path);
  if (chapter === null) throw new FileFault('corrupt', 'The book is damaged: a chapter is missing.');
  return readHtml(xhtmlAsHtml(decodeMarkup(chapter, { xml: true }).text)).markdown;
}

/** EPUB books: each chapter a part, in the order in which they are read. Damaged ones are in `unread`, by their file names. */
export const extractEpub: Extractor = async (content, report) => {
  const archive = await openZip(content);
  const { title, chapters } = await readBook(archive);
  await refuseEncrypted(archive, chapters);
  const parts: Extraction['parts'] = [];
  const pieces = new UnreadParts();
  for (const [index, path] of chapters.entries()) {
    const text = await pieces.readOrAdd(posix.basename(path), () => readChapter(archive, path));
    if (text !== null && text !== '') parts.push({ text, place: null });
    report((index + 1) / chapters.length);
  }
  return { title, parts, ...pieces.end(parts.length) };
};
