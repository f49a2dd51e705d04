import { writeZip, type ZipMember } from '../../support/zip-writer.ts';

/*
 * The smallest Word documents and EPUB books that are valid, to be filled by a test.
 */

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** A paragraph, in one of Word's styles by its identifier. */
export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** The files of a Word document with this body. */
export function wordMembers(body: string, title?: string, changed = ''): ZipMember[] {
  const core: ZipMember[] =
    title === undefined
      ? []
      : [
          {
            name: 'docProps/core.xml',
            content: `${XML}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title>${changed}</cp:coreProperties>`,
          },
        ];
  return [
    {
      name: '[Content_Types].xml',
      content: `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/styles.xml',
      // As Word writes it in every language: the identifiers are of the language, the names are not.
      content: `${XML}<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style><w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>`,
    },
    {
      name: 'word/document.xml',
      content: `${XML}<w:document xmlns:w="${WORD}" xmlns:r="${RELATIONS}"><w:body>${body}</w:body></w:document>`,
    },
    ...core,
  ];
}

/** A Word document. */
export function writeDocx(body: string, title?: string, changed?: string): Buffer {
  const modified =
    changed === undefined
      ? ''
      : `<dcterms:modified xmlns:dcterms="http://purl.org/dc/terms/">${changed}</dcterms:modified>`;
  return writeZip(wordMembers(body, title, modified));
}

/** What a book is made of. */
export interface BookPlan {
  title?: string;
  /** The chapters in reading order: path within the folder of the book, and the file. */
  chapters: readonly {
    href: string;
    content: string | Uint8Array;
    properties?: string;
    mediaType?: string;
  }[];
  /** The paths, from the root of the archive, that are said to be encrypted. */
  encrypted?: readonly string[];
}

/** The files of an EPUB book. */
export function bookMembers({ title = 'A book', chapters, encrypted = [] }: BookPlan): ZipMember[] {
  const items = chapters.map(
    ({ href, properties, mediaType = 'application/xhtml+xml' }, index) =>
      `<item id="c${index}" href="${encodeURI(href)}" media-type="${mediaType}"${properties === undefined ? '' : ` properties="${properties}"`}/>`,
  );
  const order = chapters.map((_, index) => `<itemref idref="c${index}"/>`);
  const references = encrypted.map(
    (path) =>
      `<enc:EncryptedData><enc:CipherData><enc:CipherReference URI="${path}"/></enc:CipherData></enc:EncryptedData>`,
  );
  return [
    { name: 'mimetype', content: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      content: `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    },
    ...(references.length === 0
      ? []
      : [
          {
            name: 'META-INF/encryption.xml',
            content: `${XML}<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">${references.join('')}</encryption>`,
          },
        ]),
    {
      name: 'OEBPS/book.opf',
      content: `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title id="t">${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    },
    ...chapters.map(({ href, content }) => ({ name: `OEBPS/${href}`, content })),
  ];
}

/** An EPUB book. */
export function writeEpub(plan: BookPlan): Buffer {
  return writeZip(bookMembers(plan));
}
