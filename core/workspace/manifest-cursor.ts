import type { ManifestPlace } from '../../db/queries/workspace/manifest.ts';
import { invalidField } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';

/** A position in a manifest: the revision of the first page, and the last version shown. */
export interface ManifestCursor {
  at: number;
  after: ManifestPlace;
}

/**
 * Parses a revision, from `since` or from a cursor.
 * @returns null if the text is not a revision
 */
function parseRevision(text: string): number | null {
  const revision = Number(text);
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(revision) ? revision : null;
}

/**
 * Parses `since` of a manifest: null if it is absent, for every live file.
 * @throws ServiceError `invalid_request`
 */
export function parseSince(since: string | undefined): number | null {
  if (since === undefined) return null;
  const revision = parseRevision(since);
  if (revision === null) throw invalidField('/since', 'must be the revision of a manifest');
  return revision;
}

/** Encodes a cursor. */
export function cursorOf({ at, after }: ManifestCursor): string {
  return Buffer.from(`${at} ${after.revision} ${after.id}`, 'latin1').toString('base64url');
}

/**
 * Parses `cursor` of a manifest: null if it is absent, for the first page.
 * @throws ServiceError `invalid_request`
 */
export function parseManifestCursor(cursor: string | undefined): ManifestCursor | null {
  if (cursor === undefined) return null;
  const [first = '', last = '', id = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  const [at, revision] = [parseRevision(first), parseRevision(last)];
  if (at !== null && revision !== null && isId(id)) {
    const read = { at, after: { revision, id } };
    // Decoding skips unknown characters, so that only encoding the result again shows that the cursor is valid.
    if (cursorOf(read) === cursor) return read;
  }
  throw invalidField('/cursor', 'is not a cursor of this list');
}
