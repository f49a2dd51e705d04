import { createHash } from 'node:crypto';

/** Returns the SHA-256 of an SQL file in hexadecimal. CRLF counts as LF. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
