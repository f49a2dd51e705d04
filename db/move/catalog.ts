import type { Queryable } from '../driver/database.ts';
import { QUEUE_SCHEMA } from '../queue/pg-boss-jobs.ts';

/** The schemas of the service. */
export const SCHEMAS = ['identity', 'memory', QUEUE_SCHEMA] as const;

/** Tables that are not moved, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'memory.migration': 'written by the start-up of this program, and compared by checksum',
  'memory.function_file': 'written by the start-up of this program, and compared by checksum',
  [`${QUEUE_SCHEMA}.version`]: 'written by pg-boss, and compared',
  'identity.caller_change': 'positions in the log of the source, which mean nothing in another log',
  'identity.team_withdrawal': 'positions in the log of the source, which mean nothing in another log',
};

/** Columns that are null in the target, with the reason. */
const EMPTIED: Readonly<Record<string, string>> = {
  'memory.usage_tally.xact':
    'the number of a transaction of the source: in the target, it belongs to another one',
};

/** A column that is moved. */
export interface Column {
  /** As SQL writes it. */
  name: string;
  /** The type, with its schema unless it is of PostgreSQL itself. */
  type: string;
  /** The number of the type, which another database has another one for. */
  oid: number;
  isNullable: boolean;
}

/** A table that is moved. */
export interface Table {
  /** The name with the schema, as SQL writes it. */
  name: string;
  /** Without generated columns, and without those that the target has empty. Ordered by name. */
  columns: Column[];
  emptied: string[];
  /** The columns that are unique together, in the order of their index. */
  key: Column[];
  /** The tables that it refers to. */
  references: string[];
  /** Whether its rows are lost when the server, or the process of an embedded database, is killed. */
  isUnlogged: boolean;
  /** The size on the disk. */
  bytes: number;
}

interface CatalogRow {
  name: string;
  kind: string;
  isUnlogged: boolean;
  columns: Column[];
  key: string[] | null;
  references: string[];
  bytes: number;
}

/**
 * Reads the tables that are moved from the catalog, each after those that it refers to. With `search_path` set to
 * `pg_catalog`, so that types have their schema.
 */
export async function readTables(tx: Queryable): Promise<Table[]> {
  const rows = await tx.query<CatalogRow>(
    `select format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind, c.relpersistence = 'u' as "isUnlogged",
            (select json_agg(json_build_object('name', quote_ident(a.attname),
                      'type', format_type(a.atttypid, a.atttypmod), 'oid', a.atttypid::int8, 'isNullable', not a.attnotnull)
                      order by a.attname collate "C")
               from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
            (select array_agg(quote_ident(a.attname) order by k.place)
               from (select i.indkey from pg_index i
                      where i.indrelid = c.oid and i.indisunique and i.indpred is null and i.indexprs is null
                        and (i.indisprimary or i.indnullsnotdistinct)
                      order by i.indisprimary desc limit 1) i
              cross join unnest(i.indkey::int[]) with ordinality as k (number, place)
               join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number) as key,
            (select coalesce(json_agg(distinct format('%I.%I', rn.nspname, r.relname)), '[]')
               from pg_constraint f
               join pg_class r on r.oid = coalesce(pg_partition_root(f.confrelid), f.confrelid)
               join pg_namespace rn on rn.oid = r.relnamespace
              where f.contype = 'f' and coalesce(pg_partition_root(f.conrelid), f.conrelid) = c.oid) as references,
            (select coalesce(sum(pg_table_size(p.relid)), 0)::float8 from pg_partition_tree(c.oid) p)
              + pg_table_size(c.oid) as bytes
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p', 'S', 'm', 'f') and not c.relispartition
      order by 1`,
    [SCHEMAS],
  );
  return inOrderOfReference(rows.filter(({ name }) => !(name in LEFT_OUT)).map(toTable));
}

function toTable({ name, kind, isUnlogged, columns, key, references, bytes }: CatalogRow): Table {
  if (kind !== 'r' && kind !== 'p') throw new Error(`${name} is not a table, and is not moved`);
  const isEmptied = (column: Column) => `${name}.${column.name}` in EMPTIED;
  const moved = columns.filter((column) => !isEmptied(column));
  const keyed = (key ?? []).map((part) => moved.find((column) => column.name === part));
  if (keyed.length === 0) throw new Error(`${name} has no key`);
  return {
    name,
    columns: moved,
    emptied: columns.filter(isEmptied).map((column) => column.name),
    key: keyed.filter((column) => column !== undefined),
    references: references.filter((other) => other !== name),
    isUnlogged,
    bytes,
  };
}

function inOrderOfReference(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  const waiting = [...tables];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ references }) =>
      references.every((other) => !waiting.some(({ name }) => name === other)),
    );
    if (next < 0)
      throw new Error(`tables refer to each other: ${waiting.map(({ name }) => name).join(', ')}`);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
}

/** A partition of a table that is moved. */
interface Partition {
  name: string;
  of: string;
  /** What `create table … partition of` ends with. */
  bounds: string;
}

/** Reads the partitions of all tables that are moved. */
export function readPartitions(tx: Queryable): Promise<Partition[]> {
  return tx.query<Partition>(
    `select format('%I.%I', n.nspname, c.relname) as name, format('%I.%I', pn.nspname, p.relname) as of,
            pg_get_expr(c.relpartbound, c.oid) as bounds
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_inherits i on i.inhrelid = c.oid
       join pg_class p on p.oid = i.inhparent
       join pg_namespace pn on pn.oid = p.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') and c.relispartition
      order by 1`,
    [SCHEMAS],
  );
}
