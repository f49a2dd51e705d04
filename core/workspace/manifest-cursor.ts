import type { ManifestPlace } from '../../db/queries/workspace/manifest.ts';
import { invalidField } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';

/** What the cursor of a manifest stands for: the revision of its first page, and the place shown last. */
export interface ManifestCursor {
  at: number;
  after: ManifestPlace;
}

/**
 * Reads a revision: of `since`, or in a cursor.
 * @returns null if the text is not a revision
 */
function readRevision(text: string): number | null {
  const revision = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(revision) ? revision : null;
}

/**
 * Reads `since` of a manifest: null where it is not given, for all that is live.
 * @throws ServiceError `invalid_request`
 */
export function readSince(since: string | undefined): number | null {
  if (since === undefined) return null;
  const revision = readRevision(since);
  if (revision === null) throw invalidField('/since', 'must be the revision of a manifest');
  return revision;
}

/** The text of a cursor. */
export function cursorOf({ at, after }: ManifestCursor): string {
  return Buffer.from(`${at} ${after.revision} ${after.id}`, 'latin1').toString('base64url');
}

/**
 * Reads `cursor` of a manifest.
 * @throws ServiceError `invalid_request`
 */
export function readManifestCursor(cursor: string | undefined): ManifestCursor | null {
  if (cursor === undefined) return null;
  const [first = '', last = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const [at, revision] = [readRevision(first), readRevision(last)];
  if (at !== null && revision !== null && isId(id)) {
    const read = { at, after: { revision, id } };
    // Decoding passes over what it does not know, so the cursor is held against what it stands for.
    if (cursorOf(read) === cursor) return read;
  }
  throw invalidField('/cursor', 'is not a cursor of this list');
}
