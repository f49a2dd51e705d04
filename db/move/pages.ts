import type { Queryable } from '../driver/database.ts';
import { arrayBinary } from '../driver/wire-format.ts';
import type { Column, Table } from './catalog.ts';

/** Rows of a page at most, and their size in it. A single row can be larger. */
const PAGE_ROWS = 2000;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Rows of a page that is only hashed, where the database is. */
const HASHED_ROWS = 2000;

/** How much larger a value is in a page than as `pg_column_size` or `octet_length` tells, at most. */
const SIZE_OF: Readonly<Record<string, string>> = {
  text: 'octet_length(%)',
  // The driver reads bytes in hexadecimal.
  bytea: '2 * octet_length(%)',
};
const BINARY_SIZE = '2 * pg_column_size(%)';
/** It can be compressed. */
const OTHER_SIZE = '6 * pg_column_size(%)';

/** What returns a value in the binary form of its type: for types whose texts are slow to read. The others are texts. */
const SEND: Readonly<Record<string, string>> = {
  bytea: '%',
  'public.halfvec': 'public.halfvec_send(%)',
  'public.sparsevec': 'public.sparsevec_send(%)',
};

/** A type without its size: `public.halfvec` of `public.halfvec(1024)`. */
function baseOf(type: string): string {
  const size = type.indexOf('(');
  return size < 0 || type.endsWith('[]') ? type : type.slice(0, size);
}

const sendOf = ({ type }: Column) => SEND[baseOf(type)];

function sizeOf(column: Column): string {
  const size = SIZE_OF[column.type] ?? (sendOf(column) === undefined ? OTHER_SIZE : BINARY_SIZE);
  return `coalesce(${size.replace('%', column.name)}, 0)`;
}

/** Stands for null in the key of the only kind of table that has nulls there. It is no id of a row. */
const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** A part of the key as an expression that is never null. */
function keyPart({ name, type, isNullable }: Column): string {
  if (!isNullable) return name;
  if (type !== 'uuid') throw new Error(`a key has null values of type ${type}`);
  return `coalesce(${name}, '${NO_UUID}'::uuid)`;
}

/** Selects the rows of a page in the order of the key, with the key as k0 …. `after` are the values of the last key. */
function pageOf({ name, key }: Table, after: readonly string[] | null, columns: string, limit: number) {
  const parts = key.map(keyPart);
  const bound = key.map(({ type }, index) => `$${index + 1}::text::${type}`);
  const where = after === null ? '' : `where (${parts.join(', ')}) > (${bound.join(', ')})`;
  const keys = parts.map((part, index) => `${part} as k${index}`);
  return {
    text: `select ${keys.join(', ')}, ${columns} from ${name} ${where} order by ${parts.join(', ')} limit ${limit}`,
    order: key.map((_, index) => `k${index}`).join(', '),
  };
}

/** A value as text, or in the binary form of its type. */
type Value = string | Uint8Array | null;

/** A page of rows. */
export interface Page {
  /** The values of each column of the table. */
  values: Value[][];
  rows: number;
  lastKey: string[];
}

/**
 * Reads the next rows of a table.
 * @param after the key of the row before; null: from the first row on
 * @returns null if there are no more rows
 */
export async function readPage(
  tx: Queryable,
  table: Table,
  after: readonly string[] | null,
): Promise<Page | null> {
  const { columns, key } = table;
  const sizes = columns.map(sizeOf);
  const names = columns.map(({ name }, index) => `${name} as c${index}`);
  const { text, order } = pageOf(
    table,
    after,
    `${names.join(', ')}, (${sizes.join(' + ')})::bigint as size`,
    PAGE_ROWS,
  );
  const selected = [
    ...columns.map((column, index) => {
      const send = sendOf(column)?.replace('%', `c${index}`);
      return `${send ?? `c${index}::text`} as c${index}`;
    }),
    ...key.map((_, index) => `k${index}::text as t${index}`),
  ];
  // The values that are not kept are not read: a large one is stored outside of its row.
  const rows = await tx.query<Record<string, Value>>(
    `select ${selected.join(', ')} from (
       select p.*, sum(size) over (order by ${order} rows unbounded preceding) - size as before from (${text}) p
     ) q where before < ${PAGE_BYTES} order by ${order}`,
    after ?? [],
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  return {
    values: columns.map((_, index) => rows.map((row) => row[`c${index}`] ?? null)),
    rows: rows.length,
    lastKey: key.map((_, index) => String(last[`t${index}`])),
  };
}

/**
 * Inserts the rows of a page.
 * @param table the table of the target
 */
export async function insertPage(tx: Queryable, table: Table, { values }: Page): Promise<void> {
  const { name, columns, emptied } = table;
  const names = [...columns.map((column) => column.name), ...emptied];
  const given = columns.map((column, index) => {
    const type = sendOf(column) === undefined ? 'text' : baseOf(column.type);
    return `$${index + 1}::${type}[]`;
  });
  const cast = [...columns.map(({ type }, index) => `c${index}::${type}`), ...emptied.map(() => 'null')];
  await tx.query(
    `insert into ${name} (${names.join(', ')}) overriding system value
       select ${cast.join(', ')} from unnest(${given.join(', ')}) as g (${columns.map((_, index) => `c${index}`).join(', ')})`,
    columns.map((column, index) => {
      const all = values[index] ?? [];
      return sendOf(column) === undefined ? all : arrayBinary(column.oid, all as (Uint8Array | null)[]);
    }),
  );
}

/** The digest of rows, which does not depend on their order: each row has a SHA-256, and these are combined by XOR. */
export interface Digest {
  rows: number;
  sha256: bigint;
}

/** The next part of the digest of a table. */
export interface DigestPage extends Digest {
  lastKey: string[];
}

/** Digests the next rows of a table, as texts, where they are. Returns null if there are no more rows. */
export async function digestPage(
  tx: Queryable,
  table: Table,
  after: readonly string[] | null,
): Promise<DigestPage | null> {
  const { columns, key } = table;
  const row = `row(${columns.map(({ name }) => name).join(', ')})::text`;
  const hash = `sha256(convert_to(${row}, 'UTF8')) as hash`;
  const { text } = pageOf(table, after, hash, HASHED_ROWS);
  const [digest] = await tx.query<{ rows: number; sha256: string | null; lastKey: string[] | null }>(
    `with page as materialized (${text})
     select count(*)::int as rows, encode(string_agg(hash, ''), 'hex') as sha256,
            (select array[${key.map((_, index) => `k${index}::text`).join(', ')}]
               from page order by ${key.map((_, index) => `k${index} desc`).join(', ')} limit 1) as "lastKey"
       from page`,
    after ?? [],
  );
  if (digest === undefined || digest.lastKey === null || digest.sha256 === null) return null;
  let sha256 = 0n;
  for (let at = 0; at < digest.sha256.length; at += 64) {
    sha256 ^= BigInt(`0x${digest.sha256.slice(at, at + 64)}`);
  }
  return { rows: digest.rows, sha256, lastKey: digest.lastKey };
}

/**
 * Settings of a transaction that reads or writes values as texts: the same text stands for the same value on both sides.
 * Names are written with their schema. Row-level security that would hide rows fails instead. Nothing has a time limit.
 */
export const TEXTS = [
  'search_path = pg_catalog',
  'row_security = off',
  `timezone = 'UTC'`,
  `datestyle = 'ISO, YMD'`,
  `intervalstyle = 'postgres'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 1',
  'statement_timeout = 0',
  'lock_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'transaction_timeout = 0',
  'jit = off',
]
  .map((setting) => `set local ${setting}`)
  .join('; ');
