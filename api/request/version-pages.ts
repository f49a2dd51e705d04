import { invalidField } from '../../shared/errors.ts';
import { parseLimit } from './pagination.ts';

/** A page of versions, newest first: `limit` versions lower than `before`, or the newest ones if it is null. */
export interface VersionPart {
  before: number | null;
  limit: number;
}

/**
 * Parses `limit` and `cursor` of a list of versions.
 * @throws ServiceError `invalid_request`
 */
export function parseVersionPage(query: { limit?: string; cursor?: string }): VersionPart {
  const limit = parseLimit(query.limit);
  if (query.cursor === undefined) return { limit, before: null };
  const before = Number(Buffer.from(query.cursor, 'base64url').toString('latin1'));
  // The cursor is compared with the encoding of its number, because decoding ignores unknown characters.
  if (!Number.isInteger(before) || before < 1 || before > MAX_VERSION || cursorOf(before) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, before };
}

/** The highest number that the database stores as a version. */
const MAX_VERSION = 2 ** 31 - 1;

function cursorOf(version: number): string {
  return Buffer.from(String(version), 'latin1').toString('base64url');
}

/** Makes a page of versions. If the list has more, its cursor is the last version. */
export function versionPageOf<T extends { version: number }>(
  items: T[],
  hasMore: boolean,
): { items: T[]; nextCursor: string | null } {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOf(last.version) : null };
}
