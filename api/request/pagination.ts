import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { invalidField } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';

/** How many rows a page holds where the request says nothing, and at most. */
export interface PageLimits {
  usual: number;
  most: number;
}
const LIMITS: PageLimits = { usual: 50, most: 200 };

/**
 * Reads `limit` of a list.
 * @throws ServiceError `invalid_request` if it does not parse
 */
export function readLimit(given: string | undefined, limits: PageLimits = LIMITS): number {
  const limit = given === undefined ? limits.usual : Number(given);
  if (!/^\d{1,4}$/.test(given ?? '1') || limit < 1 || limit > limits.most) {
    throw invalidField('/limit', `must be a whole number from 1 to ${limits.most}`);
  }
  return limit;
}

/**
 * Reads `limit` and `cursor` of a list.
 * @throws ServiceError `invalid_request` if either does not parse
 */
function readPage(query: { limit?: string; cursor?: string }, limits: PageLimits): ListPart {
  const limit = readLimit(query.limit, limits);
  if (query.cursor === undefined) return { limit, after: null };
  const after = Buffer.from(query.cursor, 'base64url').toString('latin1');
  // Decoding passes over what it does not know, so the cursor is held against what it stands for.
  if (!isId(after) || cursorOf(after) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, after };
}

function cursorOf(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/**
 * Answers one page of a list. The cursor is the last id shown, so that rows inserted between two requests do not
 * shift the pages.
 * @param query `limit` and `cursor`
 * @param list gives the rows of a part, in the order of the list: one more than the page holds, which tells that more
 *   follow
 * @param limits those of this list, where they are not the usual ones
 * @throws ServiceError `invalid_request` if the query does not parse
 */
export async function answerPage<T extends { id: string }>(
  query: { limit?: string; cursor?: string },
  list: (part: ListPart) => Promise<readonly T[]>,
  limits: PageLimits = LIMITS,
): Promise<{ items: T[]; nextCursor: string | null }> {
  const { limit, after } = readPage(query, limits);
  const rows = await list({ limit: limit + 1, after });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursorOf(last.id) : null };
}
