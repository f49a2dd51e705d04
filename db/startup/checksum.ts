import { createHash } from 'node:crypto';

/** SHA-256 in hex of an SQL file. Line ends do not count. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
