import type { ListPart } from './common.ts';

/** By what lists of sources and memories are sorted. */
export type SortBy = 'createdAt' | 'updatedAt' | 'title' | 'found';

/** The order of a list. Rows with equal keys are in the order of their ids. */
export interface Sorting {
  by: SortBy;
  descends: boolean;
}

/** A page of a sorted list: the rows after the row `after` with the key `afterKey`. */
export interface SortedPart extends ListPart {
  sorting: Sorting;
  /** Null at the beginning, and by createdAt, where the id is the key. */
  afterKey: string | null;
}

/** A row of a sorted list, with its key as text. Null by createdAt. */
export type Sorted<T> = T & { id: string; sortKey: string | null };

/** A title as lists are sorted by it: without case. It is compared by code point. */
export const titleKey = (alias: string) => `lower(upper(${alias}.title collate "pg_c_utf8")) collate "C"`;

/** The key by which a list is sorted: its SQL, its type, and its SQL as text without loss. */
interface SortKey {
  sql: string;
  type: string;
  text: string;
}

/**
 * Returns the key of a list.
 * @param alias the table's name or alias in the query
 * @param columns SQL of the title without case, and of how often the row was found
 */
function sortKey(by: SortBy, alias: string, columns: { title: string; found: string }): SortKey | null {
  switch (by) {
    case 'createdAt':
      return null;
    case 'updatedAt': {
      const sql = `${alias}.updated_at`;
      const text = `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
      return { sql, type: 'timestamptz', text };
    }
    case 'title':
      return { sql: columns.title, type: 'text', text: columns.title };
    case 'found':
      return { sql: columns.found, type: 'bigint', text: `(${columns.found})::text` };
  }
}

/** SQL of the parts of a sorted statement, which names `$after` and, with a key, `$afterKey`. */
export interface SortedSql {
  column: string;
  /** That a row comes after the one of the cursor. */
  isAfter: string;
  orderBy: string;
  /** The values that it names beside those of every list. */
  values: Record<string, unknown>;
}

/** Makes the SQL that sorts a list: see `sortKey`. */
export function sortedSql(
  { sorting, afterKey }: SortedPart,
  alias: string,
  columns: { title: string; found: string },
): SortedSql {
  const { by, descends } = sorting;
  const [direction, compares] = descends ? ['desc', '<'] : ['asc', '>'];
  const key = sortKey(by, alias, columns);
  const id = `${alias}.id`;
  if (key === null) {
    return {
      column: 'null as "sortKey"',
      isAfter: `($after::uuid is null or ${id} ${compares} $after)`,
      orderBy: `${id} ${direction}`,
      values: {},
    };
  }
  return {
    column: `${key.text} as "sortKey"`,
    isAfter: `($after::uuid is null or (${key.sql}, ${id}) ${compares} ($afterKey::${key.type}, $after))`,
    orderBy: `${key.sql} ${direction}, ${id} ${direction}`,
    values: { afterKey },
  };
}

/** Compares rows of several sorted lists, to merge them. */
export function compareSorted({ by, descends }: Sorting): (a: Sorted<object>, b: Sorted<object>) => number {
  const order = descends ? -1 : 1;
  const compareKeys = (a: string, b: string) =>
    by === 'found' ? Number(a) - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(b));
  return (a, b) => order * (compareKeys(a.sortKey ?? '', b.sortKey ?? '') || (a.id < b.id ? -1 : 1));
}
