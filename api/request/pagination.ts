import type { ListPart } from '../../db/queries/fragments/list-part.ts';
import { invalidField } from '../../shared/errors.ts';
import { isId } from '../../shared/ids.ts';
import { PAGE_LIMITS } from '../../shared/schemas/common.ts';

/** The default number of rows of a page, and the maximum. */
export interface PageLimits {
  default: number;
  max: number;
}

/**
 * Parses `limit` of a list.
 * @throws ServiceError `invalid_request` if it is not a whole number within the limits
 */
export function parseLimit(given: string | undefined, limits: PageLimits = PAGE_LIMITS): number {
  const limit = given === undefined ? limits.default : Number(given);
  if (!/^\d{1,4}$/.test(given ?? '1') || limit < 1 || limit > limits.max) {
    throw invalidField('/limit', `must be a whole number from 1 to ${limits.max}`);
  }
  return limit;
}

/**
 * Parses `limit` and `cursor` of a list.
 * @throws ServiceError `invalid_request` if one of them is not valid
 */
export function parsePage(
  query: { limit?: string; cursor?: string },
  limits: PageLimits = PAGE_LIMITS,
): ListPart {
  const limit = parseLimit(query.limit, limits);
  if (query.cursor === undefined) return { limit, after: null };
  const after = Buffer.from(query.cursor, 'base64url').toString('latin1');
  // Decoding ignores unknown characters, so the cursor is compared with the encoding of its id.
  if (!isId(after) || cursorOf(after) !== query.cursor) {
    throw invalidField('/cursor', 'is not a cursor of this list');
  }
  return { limit, after };
}

function cursorOf(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/** A page of a list, as the API shows it. */
interface PageAnswer<T> {
  items: T[];
  nextCursor: string | null;
}

/** Makes the page of `items`. If the list has more, its cursor is the id of the last item. */
export function pageOf<T extends { id: string }>(items: T[], hasMore: boolean): PageAnswer<T> {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last ? cursorOf(last.id) : null };
}

/**
 * Answers one page of a list. The cursor is the last id shown, so that rows inserted between two requests do not
 * shift the pages.
 * @param query `limit` and `cursor`
 * @param list returns the rows of a part, in the order of the list. It is asked for one row more than the page has,
 *   to find out whether there is a next page
 * @param limits of this list, if they are not the default
 * @throws ServiceError `invalid_request` if the query is not valid
 */
export async function answerPage<T extends { id: string }>(
  query: { limit?: string; cursor?: string },
  list: (part: ListPart) => Promise<readonly T[]>,
  limits: PageLimits = PAGE_LIMITS,
): Promise<PageAnswer<T>> {
  const { limit, after } = parsePage(query, limits);
  const rows = await list({ limit: limit + 1, after });
  return pageOf(rows.slice(0, limit), rows.length > limit);
}
