import { MAX_TOTAL } from '../../shared/schemas/common.ts';
import type { Scope } from '../../shared/scope.ts';
import {
  type Database,
  type Queryable,
  readOnce,
  readTogether,
  type ScopedTransaction,
} from '../driver/database.ts';
import type { ListPart } from './common.ts';
import { queryNamed } from './query-named.ts';

/**
 * Reads a page of a list and, if it is to be counted, how many rows the whole list has.
 * @param part `after`: where the page begins; null at the beginning of the list
 * @param text selects the rows of the page, as for `queryNamed`. It names `$after` and `$limit`
 * @param whole selects as many rows without what only shows them, where that is much cheaper
 */
export async function queryList<R extends object>(
  tx: Queryable,
  { after, limit, count }: Omit<ListPart, 'after'> & { after: string | number | null },
  text: string,
  values: Readonly<Record<string, unknown>>,
  first: readonly unknown[] = [],
  whole = text,
): Promise<R[]> {
  const rows = await queryNamed<R>(tx, text, { ...values, after, limit }, first);
  if (count === undefined) return rows;
  if (after === null && rows.length < limit) count(rows.length);
  else {
    const listed = `select count(*)::int as total from (${whole}) listed`;
    const all = Object.entries({ ...values, after: null, limit: MAX_TOTAL + 1 });
    const names = new Set(Array.from(whole.matchAll(/\$([a-z]\w*)/gi), ([, name]) => name));
    const named = Object.fromEntries(all.filter(([name]) => names.has(name)));
    const [counted] = await queryNamed<{ total: number }>(tx, listed, named, first);
    count(counted?.total ?? 0);
  }
  return rows;
}

/** Reads a page of a list: in one round trip, or with its count of the same moment. `fn` calls `queryList` once. */
export function readList<S extends Scope, T>(
  database: Database,
  scope: S,
  { count }: Pick<ListPart, 'count'>,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
): Promise<T> {
  return (count === undefined ? readOnce : readTogether)(database, scope, fn);
}
