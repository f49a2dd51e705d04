import mammoth from 'mammoth';
import { type Extractor, FileFault } from '../extraction.ts';
import { readHtml } from '../html.ts';
import { mismatchFault, openOffice, readProperties } from './package.ts';
import type { ZipArchive } from './zip-archive.ts';

const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='HTML Preformatted'] => pre:separator('\\n')",
  "p[style-name='Preformatted Text'] => pre:separator('\\n')",
];

/** The link from a note back to its reference. */
const BACK_LINK = /(?<!\s)\s*<a href="#([^"]*)">↑<\/a>/g;
const NOTE_REFERENCE = 'note-ref-';

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
    return mismatchFault('DOCX', null);
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
  const { archive } = await openOffice(content, 'DOCX');
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
