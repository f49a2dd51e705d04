import mammoth from 'mammoth';
import { dayOf } from '../../../shared/text/fields.ts';
import { type Extraction, type Extractor, FileFault } from '../extraction.ts';
import { readHtml } from '../html/html-to-markdown.ts';
import { oneLine } from '../text/markdown-text.ts';
import { elementsAt, ownText, readPackageXml } from './package-xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

/** The first bytes of the older Office format. Encrypted documents of the newer format are wrapped in it. */
const OLE_MARK = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\\n')",
];

/** The link from a note back to its reference. */
const BACK_LINK = /(?<!\s)\s*<a href="#([^"]*)">↑<\/a>/g;
const NOTE_REFERENCE = 'note-ref-';

function refuseOle(bytes: Buffer): void {
  if (!bytes.subarray(0, OLE_MARK.length).equals(OLE_MARK)) return;
  if (bytes.includes(ENCRYPTED_PACKAGE)) {
    throw new FileFault(
      'locked',
      'The document is protected by a password: save it without one and import it again.',
    );
  }
  throw new FileFault(
    'not_docx',
    'The file is a document of an older Word, not DOCX: open it and save it as DOCX.',
  );
}

/** The title of the document, and the day on which it was last changed. */
async function readProperties(archive: ZipArchive): Promise<Pick<Extraction, 'title' | 'date'>> {
  const core = await archive.read('docProps/core.xml');
  if (core === null) return { title: null };
  const properties = readPackageXml(core);
  const [title] = elementsAt(properties, 'coreProperties', 'title');
  const [changed] = elementsAt(properties, 'coreProperties', 'modified');
  return { title: oneLine(ownText(title)) || null, date: dayOf(new Date(ownText(changed))) };
}

/** The fault for an error of the conversion to HTML. */
function conversionFault(error: unknown): FileFault {
  if (error instanceof FileFault) return error;
  if (error instanceof RangeError) {
    return new FileFault(
      'too_deep',
      'The document is nested too deeply to be read: save it in a simpler form.',
    );
  }
  if (error instanceof Error && error.message.includes('main document part')) {
    return new FileFault('not_docx', 'The file is not a Word document: import it under its own type.');
  }
  return new FileFault('corrupt', 'The document is damaged: open it in Word, save it again and import that.');
}

/** An archive as mammoth accepts it. Its type declarations do not have this kind of input. */
interface MammothArchive {
  exists(name: string): boolean;
  read(name: string, encoding: string): Promise<string>;
}

/**
 * The archive as mammoth's input. If mammoth gets the bytes instead, it looks for the directory of the archive in its
 * own way, and can find other files than the ones that are checked here.
 */
function mammothInput(archive: ZipArchive): Parameters<typeof mammoth.convertToHtml>[0] {
  const file: MammothArchive = {
    exists: (name) => archive.names.has(name),
    read: async (name, encoding) => {
      const bytes = await archive.read(name);
      if (bytes === null) throw new Error('the archive has no such file');
      return new TextDecoder(encoding).decode(bytes);
    },
  };
  return { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
}

/** Removes the links that lead back from the notes. */
function withoutBackLinks(html: string): string {
  return html.replace(BACK_LINK, (link, target: string) => (target.includes(NOTE_REFERENCE) ? '' : link));
}

/**
 * Word documents, without their pictures: one part, because where the pages of a document end is decided only when
 * it is printed.
 */
export const extractDocx: Extractor = async (content) => {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  refuseOle(buffer);
  const archive = await openZip(content);
  const properties = await readProperties(archive);
  const { value } = await mammoth
    .convertToHtml(mammothInput(archive), {
      styleMap: STYLES,
      includeEmbeddedStyleMap: false,
      // The description of a picture stays; the picture itself is never unpacked.
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
    })
    .catch((error: unknown) => {
      throw conversionFault(error);
    });
  return { ...properties, parts: [{ text: readHtml(withoutBackLinks(value)).markdown, place: null }] };
};
