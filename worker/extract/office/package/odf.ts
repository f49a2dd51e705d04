import { dayOf } from '../../../../shared/text/fields.ts';
import type { Extraction } from '../../extraction.ts';
import { oneLine } from '../../text/markdown-text.ts';
import { lockedFault, mismatchFault, refuseOle } from './kinds.ts';
import { attributeOf, elementsAt, ownText, readPackageXml } from './package-xml.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

/** Packages of OpenDocument: ODT, ODS and ODP. */

/** The part with the content of a document. */
export const CONTENT = 'content.xml';
const MANIFEST = 'META-INF/manifest.xml';

const TYPES = {
  ODT: { name: 'text', described: 'an ODT document' },
  ODS: { name: 'spreadsheet', described: 'an ODS spreadsheet' },
  ODP: { name: 'presentation', described: 'an ODP presentation' },
} as const;
export type OpenDocumentKind = keyof typeof TYPES;

const PREFIX = 'application/vnd.oasis.opendocument.';

/** The media type of the package, and whether a part that is needed is encrypted. */
async function readManifest(archive: ZipArchive): Promise<{ mediaType: string; isLocked: boolean }> {
  const content = await archive.read(MANIFEST);
  const entries = content === null ? [] : elementsAt(readPackageXml(content), 'manifest', 'file-entry');
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
  const stated = mediaType.startsWith(PREFIX) ? mediaType.slice(PREFIX.length) : null;
  const found = Object.entries(TYPES).find(
    ([, { name }]) => stated === name || stated === `${name}-template`,
  );
  if (found?.[0] !== expected) throw mismatchFault(expected, found?.[1].described ?? null);
  if (isLocked) throw lockedFault();
  if (!archive.names.has(CONTENT)) throw mismatchFault(expected, null);
  return archive;
}

/** The title of a document, and the day on which it was last changed. */
export async function readMeta(archive: ZipArchive): Promise<Pick<Extraction, 'title' | 'date'>> {
  const content = await archive.read('meta.xml');
  if (content === null) return { title: null };
  const [meta = {}] = elementsAt(readPackageXml(content), 'document-meta', 'meta');
  const [title] = elementsAt(meta, 'title');
  const [changed] = [...elementsAt(meta, 'date'), ...elementsAt(meta, 'creation-date')];
  // The time has no zone: with it, the day would depend on the zone of the worker.
  const day = ownText(changed).trim().slice(0, 10);
  return { title: oneLine(ownText(title)) || null, date: dayOf(new Date(day)) };
}
