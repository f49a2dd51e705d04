import { posix } from 'node:path';
import { type Extraction, FileFault } from '../extraction.ts';
import { documentDay } from '../properties/days.ts';
import { documentTitle } from '../properties/titles.ts';
import { isCompoundFile } from './compound-file.ts';
import { type Attributes, attributeOf, elementsAt, ownText, readPackageXml, type XmlElement } from './xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

/** What is wrong with a file that is not of the format that its name or media type says. */

const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/** The fault of an encrypted file. */
const lockedFault = () =>
  new FileFault('locked', 'The file is protected by a password: save it without one and import it again.');

/**
 * The fault of a file whose content is of another format.
 * @param found what it is, if that is known: `an XLSX workbook`
 * @param expected the name of the format that was expected
 */
export function mismatchFault(expected: string, found: string | null): FileFault {
  return new FileFault(
    'corrupt',
    found === null
      ? `The file is not ${expected}: import it under the name of its own type.`
      : `The file is ${found}, not ${expected}: import it under the name of its own type.`,
  );
}

/**
 * Refuses compound files: documents of the older Office formats, and encrypted ones of the newer formats.
 * @param expected the name of the format that was expected
 * @throws FileFault `locked` for an encrypted document, `corrupt` for an older one
 */
export function refuseOle(content: Uint8Array, expected: string): void {
  if (!isCompoundFile(content)) return;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (bytes.includes(ENCRYPTED_PACKAGE)) throw lockedFault();
  throw new FileFault(
    'corrupt',
    `The file is a document of an older Office, not ${expected}: open it and save it as ${expected}.`,
  );
}

/** Packages of OpenDocument: ODT, ODS and ODP. */

/** The part with the content of a document. */
export const CONTENT = 'content.xml';

const TYPES = {
  ODT: { name: 'text', described: 'an ODT document' },
  ODS: { name: 'spreadsheet', described: 'an ODS spreadsheet' },
  ODP: { name: 'presentation', described: 'an ODP presentation' },
} as const;
export type OpenDocumentKind = keyof typeof TYPES;

/** How the media types of OpenDocument begin. */
export const OPEN_DOCUMENT_PREFIX = 'application/vnd.oasis.opendocument.';
/** Ends of media types: of a document, a template, and a page that LibreOffice has made from HTML. */
const VARIANTS = ['', '-template', '-web'];

/** The entries of the manifest: one for each part and embedded document. */
export async function manifestEntries(archive: ZipArchive): Promise<XmlElement[]> {
  const content = await archive.read('META-INF/manifest.xml');
  return content === null ? [] : elementsAt(readPackageXml(content), 'manifest', 'file-entry');
}

/** The media type of the package, and whether a part that is needed is encrypted. */
async function readManifest(archive: ZipArchive): Promise<{ mediaType: string; isLocked: boolean }> {
  const entries = await manifestEntries(archive);
  const root = entries.find((entry) => attributeOf(entry, 'full-path') === '/');
  const locked = entries.filter((entry) => elementsAt(entry, 'encryption-data').length > 0);
  const stated = Buffer.from((await archive.read('mimetype')) ?? [])
    .toString('latin1')
    .trim();
  return {
    mediaType: stated === '' ? (attributeOf(root, 'media-type') ?? '') : stated,
    // Newer programs encrypt the whole package as one part.
    isLocked: locked.some((entry) =>
      [CONTENT, 'encrypted-package'].includes(attributeOf(entry, 'full-path') ?? ''),
    ),
  };
}

/**
 * Opens a package of OpenDocument. Templates are read as documents.
 * @throws FileFault `locked`, `zip_bomb`; `corrupt`, also for content of another format
 */
export async function openDocument(content: Uint8Array, expected: OpenDocumentKind): Promise<ZipArchive> {
  refuseOle(content, expected);
  const archive = await openZip(content);
  const { mediaType, isLocked } = await readManifest(archive);
  const stated = mediaType.startsWith(OPEN_DOCUMENT_PREFIX)
    ? mediaType.slice(OPEN_DOCUMENT_PREFIX.length)
    : null;
  const found = Object.entries(TYPES).find(([, { name }]) =>
    VARIANTS.some((variant) => stated === name + variant),
  );
  if (found?.[0] !== expected) throw mismatchFault(expected, found?.[1].described ?? null);
  if (isLocked) throw lockedFault();
  if (!archive.names.has(CONTENT)) throw mismatchFault(expected, null);
  return archive;
}

/** The title of a document, and the day on which it was last changed, or else made. */
export async function readMeta(archive: ZipArchive): Promise<Pick<Extraction, 'title' | 'date'>> {
  const content = await archive.read('meta.xml');
  if (content === null) return { title: null };
  const [meta = {}] = elementsAt(readPackageXml(content), 'document-meta', 'meta');
  const [title] = elementsAt(meta, 'title');
  const times = [...elementsAt(meta, 'date'), ...elementsAt(meta, 'creation-date')];
  // The time has no zone: with it, the day would depend on the zone of the worker.
  const days = times.map((time) => new Date(ownText(time).trim().slice(0, 10)));
  return { title: documentTitle(ownText(title)), date: documentDay('office', ...days) };
}

/** Packages of Office Open XML: DOCX, XLSX and PPTX. */

/** A reference from one part of a package to another. */
export interface Relation {
  id: string;
  /** The last segment of its type: `worksheet`. It is the same in both editions of the standard. */
  type: string;
  /** The path of the part in the archive. */
  target: string;
}

/** An open package. */
export interface OfficePackage {
  archive: ZipArchive;
  /** The path of its main part. */
  main: string;
}

/** The formats by their media types' middle, which both the document and its variants with macros have. */
const KINDS = [
  { name: 'DOCX', described: 'a DOCX document', type: /wordprocessingml|ms-word/ },
  { name: 'XLSX', described: 'an XLSX workbook', type: /spreadsheetml|ms-excel\./ },
  { name: 'PPTX', described: 'a PPTX presentation', type: /presentationml|ms-powerpoint/ },
] as const;
export type OfficeKind = (typeof KINDS)[number]['name'];
/** Workbooks whose sheets are not XML (.xlsb). */
const BINARY_WORKBOOK = /ms-excel\.sheet\.binary/;

/** The relations of a part that lead to other parts of the package. External ones are left out: nothing follows them. */
export async function relationsOf(archive: ZipArchive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const content = await archive.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  if (content === null) return [];
  return elementsAt(readPackageXml(content), 'Relationships', 'Relationship').flatMap((each) => {
    const target = attributeOf(each, 'Target') ?? '';
    if (attributeOf(each, 'TargetMode') === 'External') return [];
    return [
      {
        id: attributeOf(each, 'Id') ?? '',
        type: posix.basename(attributeOf(each, 'Type') ?? ''),
        target: posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1),
      },
    ];
  });
}

async function mediaTypeOf(archive: ZipArchive, part: string): Promise<string | null> {
  const content = await archive.read('[Content_Types].xml');
  if (content === null) return null;
  const overrides = elementsAt(readPackageXml(content), 'Types', 'Override');
  const own = overrides.find(
    (each) => attributeOf(each, 'PartName')?.toLowerCase() === `/${part}`.toLowerCase(),
  );
  return attributeOf(own, 'ContentType');
}

/**
 * Opens a package of Office Open XML.
 * @throws FileFault `locked`, `zip_bomb`; `corrupt`, also for content of another format
 */
export async function openOffice(content: Uint8Array, expected: OfficeKind): Promise<OfficePackage> {
  refuseOle(content, expected);
  const archive = await openZip(content);
  const main = (await relationsOf(archive, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined || !archive.names.has(main)) throw mismatchFault(expected, null);
  const mediaType = await mediaTypeOf(archive, main);
  if (BINARY_WORKBOOK.test(mediaType ?? '')) {
    throw new FileFault('corrupt', 'The file is a binary workbook (XLSB): open it and save it as XLSX.');
  }
  const found = KINDS.find(({ type }) => mediaType !== null && type.test(mediaType));
  // A package can leave out the type of its main part. The reader then finds out that it is another one.
  const isKnown = mediaType === null || mediaType === 'application/xml';
  if (found?.name !== expected && !(found === undefined && isKnown)) {
    throw mismatchFault(expected, found?.described ?? null);
  }
  return { archive, main };
}

/** The title of the document, and the day on which it was last changed, or else made. */
export async function readProperties(archive: ZipArchive): Promise<Pick<Extraction, 'title' | 'date'>> {
  const relation = (await relationsOf(archive, '')).find(({ type }) => type === 'core-properties');
  // Some programs leave out the relation.
  const core = await archive.read(relation?.target ?? 'docProps/core.xml');
  if (core === null) return { title: null };
  const properties = readPackageXml(core);
  const [title] = elementsAt(properties, 'coreProperties', 'title');
  const times = ['modified', 'created'].flatMap((name) => elementsAt(properties, 'coreProperties', name));
  const days = times.map((time) => new Date(ownText(time)));
  return { title: documentTitle(ownText(title)), date: documentDay('office', ...days) };
}

/** A longer run of spaces has no meaning in a text. */
const MAX_SPACES = 100;
const WHITE_SPACE = /[\t\n\r ]+/g;

/** The characters that an element of OpenDocument stands for within a paragraph; null for other elements. */
export function charactersOf(name: string, attributes: Attributes): string | null {
  if (name === 'text:s')
    return ' '.repeat(Math.min(MAX_SPACES, Math.max(1, Number(attributes['text:c'] ?? 1) || 1)));
  if (name === 'text:tab') return '\t';
  return name === 'text:line-break' ? '\n' : null;
}

/** The text of a piece of a paragraph: white space in the file counts as one space. */
export const collapsed = (piece: string) => piece.replace(WHITE_SPACE, ' ');
