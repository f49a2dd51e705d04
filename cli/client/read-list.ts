import type { Static, TSchema } from 'typebox';
import { PAGE_LIMITS, Page } from '../../shared/schemas/common.ts';
import { parseWhole } from '../program/whole-number.ts';
import type { ServiceClient } from './service-client.ts';

/** A filter of a list; undefined values are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** A path with its query. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/**
 * Reads a list of the service, page by page, newest first.
 * @param limit the most items to read; without it, all are read
 */
export async function readList<Item extends TSchema>(
  service: ServiceClient,
  path: string,
  item: Item,
  query: Query = {},
  limit = Infinity,
): Promise<Static<Item>[]> {
  const page = Page(item);
  const items: Static<Item>[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null && items.length < limit) {
    const part = String(Math.min(PAGE_LIMITS.max, limit - items.length));
    const answer = (await service.get(
      withQuery(path, { ...query, limit: part, cursor: cursor ?? undefined }),
      page,
    )) as { items: Static<Item>[]; nextCursor: string | null };
    items.push(...answer.items);
    cursor = answer.nextCursor;
  }
  return items;
}

/** The most items that a command lists. */
const MAX_LISTED = 10_000;

/**
 * Parses `--limit`.
 * @throws CommandError
 */
export function parseLimit(given: string | undefined, otherwise: number, max = MAX_LISTED): number {
  return parseWhole('limit', given, 1, max) ?? otherwise;
}
