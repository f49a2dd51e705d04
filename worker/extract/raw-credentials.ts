import type { ImportMediaType } from '../../shared/formats/import-formats.ts';
import { findSecretsNow } from '../../shared/secrets/find-secrets.ts';

/** Formats of text that are read only in part: a page has scripts and comments, an export of a chat has many fields. */
const READ_IN_PART: ReadonlySet<string> = new Set<ImportMediaType>([
  'text/html',
  'application/json',
  'application/x-ndjson',
  'application/rtf',
]);

/**
 * Whether a file has a credential, also where its text is not read: in a script, a comment or an attribute. False for
 * formats that are packed or encoded, and for those that are read as they are.
 */
export function hasRawCredentials(mediaType: string, content: Uint8Array): boolean {
  if (!READ_IN_PART.has(mediaType)) return false;
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
