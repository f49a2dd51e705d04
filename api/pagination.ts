import { invalidField } from '../shared/errors.ts';
import { isId } from '../shared/ids.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export interface PageRequest {
  limit: number;
  /** The id after which the page begins, or null for the first page. */
  after: string | null;
}

/**
 * Reads `limit` and `cursor` of a list.
 * @throws ServiceError `invalid_request` if either does not parse
 */
export function readPage(query: { limit?: string; cursor?: string }): PageRequest {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit);
  if (!/^\d{1,3}$/.test(query.limit ?? '1') || limit < 1 || limit > MAX_LIMIT) {
    throw invalidField('/limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  if (query.cursor === undefined) return { limit, after: null };
  const after = Buffer.from(query.cursor, 'base64url').toString('latin1');
  // Decoding passes over what it does not know, so the cursor is held against what it stands for.
  if (!isId(after) || cursorOf(after) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, after };
}

/** The part of a list that is one row: for a look at a single thing. */
export const ONE: PageRequest = Object.freeze({ limit: 1, after: null });

function cursorOf(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/**
 * One page of a list. Ask the database for `limit + 1` rows: the one too many tells that there is more.
 * The cursor is the last id shown, so that rows inserted meanwhile shift nothing.
 */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last ? cursorOf(last.id) : null;
  return { items, nextCursor };
}
