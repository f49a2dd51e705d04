import type { ImportMediaType } from '../../shared/formats/import-formats.ts';
import { findSecretsNow } from '../../shared/secrets/find-secrets.ts';
import { FileFault } from './extraction.ts';

/**
 * Formats that are read only in part: a page has scripts and comments, an export of a chat has many fields, an e-mail has
 * many headers, and a PDF has links and properties, which not every program compresses.
 */
const READ_IN_PART: ReadonlySet<string> = new Set<ImportMediaType>([
  'text/html',
  'application/json',
  'application/x-ndjson',
  'application/rtf',
  'message/rfc822',
  'application/mbox',
  'application/pdf',
]);

/** Formats that are ZIP archives. Links, properties, deleted text and connections to databases are not read as text. */
const PACKED: ReadonlySet<string> = new Set<ImportMediaType>([
  'application/epub+zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.presentation',
]);

/** The endings of the names of parts that are text. */
const TEXT_PARTS = [
  '.xml',
  '.rels',
  '.vml',
  '.html',
  '.xhtml',
  '.htm',
  '.opf',
  '.ncx',
  '.js',
  '.css',
  '.json',
  '.txt',
];

/** Unpacked text that is searched in an archive. Otherwise the search could take longer than reading the file. */
const MAX_SEARCHED_BYTES = 32 * 1024 * 1024;

/**
 * Whether a file has a credential, also where its text is not read: in a script, a link or a property. Also true for an
 * archive that cannot be searched: it is too large, or a part is damaged. False for formats that are read as they are.
 */
export async function hasRawCredentials(mediaType: string, content: Uint8Array): Promise<boolean> {
  if (PACKED.has(mediaType)) return archiveHasCredentials(content);
  return READ_IN_PART.has(mediaType) && hasCredentials(content);
}

async function archiveHasCredentials(content: Uint8Array): Promise<boolean> {
  const { openZip } = await import('./office/package/zip-archive.ts');
  try {
    const archive = await openZip(content);
    const names = [...archive.names].filter((name) => {
      const lower = name.toLowerCase();
      return TEXT_PARTS.some((ending) => lower.endsWith(ending));
    });
    const total = names.reduce((bytes, name) => bytes + archive.sizeOf(name), 0);
    if (total > MAX_SEARCHED_BYTES) return true;
    for (const name of names) {
      const part = await archive.read(name);
      if (part !== null && hasCredentials(part)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof FileFault) return true;
    throw error;
  }
}

function hasCredentials(content: Uint8Array): boolean {
  const [found] = findSecretsNow([{ text: asText(content) }]);
  return found !== undefined && found.findings.length > 0;
}

/** Decodes a file so that its ASCII characters are right, which is enough to find credentials. */
function asText(content: Uint8Array): string {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
}
