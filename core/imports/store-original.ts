import { createHash } from 'node:crypto';
import { type Database, transaction } from '../../db/driver/database.ts';
import { findPart } from '../../db/queries/memory/imports.ts';
import { freeUnshared } from '../../shared/resources/free-memory.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Original } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { masksCredentials, type RedactionMode } from '../../shared/settings/team-settings.ts';
import type { Dependencies } from '../dependencies.ts';

/** What decides whether the file of an import becomes an original. */
interface ReadFile {
  mediaType: string;
  redaction: RedactionMode;
  /** All that was found in the import. */
  redactions: readonly Redaction[];
  /** Whether the mode masks credentials and the file has one, though its text has none. */
  hasRawCredentials: boolean;
}

/**
 * Stores the file of an import in the store of contents. It must become an original within an hour: until then nothing
 * refers to it.
 * @returns null if there is no original: the service stores none, the file has credentials that must not be stored, or it
 *   was deleted
 */
export async function storeOriginal(
  { blobs, config, database }: Pick<Dependencies, 'blobs' | 'config' | 'database'>,
  scope: TeamScope,
  importId: string,
  { mediaType, redaction, redactions, hasRawCredentials }: ReadFile,
): Promise<Original | null> {
  if (!config.keepOriginals || hasRawCredentials) return null;
  if (masksCredentials(redaction) && redactions.length > 0) return null;
  const content = await readFile(database, scope, importId);
  if (content === null) return null;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = content.byteLength;
  await blobs.store(scope, [{ sha256, content }]);
  freeUnshared(content);
  return { mediaType, bytes, sha256 };
}

/** Reads the file of an import again: its memory is free while the chunks are written, which can take long. */
async function readFile(database: Database, scope: TeamScope, importId: string): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (;;) {
    // Each part in a transaction of its own, so that others wait less with the embedded database.
    const part = await transaction(database, scope, (tx) => findPart(tx, importId, parts.length));
    if (part === null) break;
    parts.push(part);
  }
  if (parts.length <= 1) return parts[0] ?? null;
  const whole = Buffer.concat(parts);
  for (const part of parts) freeUnshared(part);
  return whole;
}
