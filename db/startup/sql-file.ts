import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../driver/database.ts';

/**
 * Runs the statements of a file.
 * @param what names the file
 * @throws the error of the database, with the file in its message
 */
export async function runScript(
  database: Database,
  tx: Queryable,
  what: string,
  text: string,
): Promise<void> {
  try {
    await database.script(tx, text);
  } catch (error) {
    if (error instanceof Error) error.message = `${what}: ${error.message}`;
    throw error;
  }
}

/** Returns the SHA-256 of an SQL file in hexadecimal. CRLF counts as LF. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
