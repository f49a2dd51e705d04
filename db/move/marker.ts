import type { Queryable } from '../driver/database.ts';
import { MOVE_SCHEMA as SCHEMA } from '../startup/unfinished-move.ts';

// What the schema of an unfinished move contains: see db/startup/unfinished-move.ts.

/** Marks the database as the target of a move. */
export async function createMarker(tx: Queryable, source: string): Promise<void> {
  await tx.query(`create schema ${SCHEMA}`);
  await tx.query(
    `create table ${SCHEMA}.move (
       only_row boolean not null primary key default true check (only_row),
       source text not null,
       is_prepared boolean not null default false
     )`,
  );
  await tx.query(
    `create table ${SCHEMA}.progress (
       name text not null primary key, moved bigint not null default 0, last_key text[]
     )`,
  );
  await tx.query(`insert into ${SCHEMA}.move (source) values ($1)`, [source]);
}

/** A move as its target has stored it. */
export interface StoredMove {
  /** The `identity` of the source: see `Source`. */
  source: string;
  /** Whether the target has the tables, and nothing but moved rows in them. */
  isPrepared: boolean;
}

/** Reads the move. Waits for a transaction of an earlier process of it that has not ended yet. */
export async function readMove(tx: Queryable): Promise<StoredMove> {
  await tx.query(`select from ${SCHEMA}.progress for update`);
  const [move] = await tx.query<StoredMove>(
    `select source, is_prepared as "isPrepared" from ${SCHEMA}.move for update`,
  );
  if (move === undefined) throw new Error('the move has no row');
  return move;
}

/** Notes that the target has the tables, and that all of them are empty. */
export async function notePrepared(tx: Queryable, tables: readonly string[]): Promise<void> {
  await tx.query(`insert into ${SCHEMA}.progress (name) select unnest($1::text[])`, [tables]);
  await tx.query(`update ${SCHEMA}.move set is_prepared = true`);
}

/** Resets the progress of these tables. */
export async function resetProgress(tx: Queryable, tables: readonly string[]): Promise<void> {
  await tx.query(`update ${SCHEMA}.progress set moved = 0, last_key = null where name = any ($1)`, [tables]);
}

/** How much of a table was moved. */
export interface TableProgress {
  moved: number;
  /** The key of the last row that was moved, as texts. Null: none was moved. */
  lastKey: string[] | null;
}

/** Reads the progress of all tables, by name. */
export async function readProgress(tx: Queryable): Promise<ReadonlyMap<string, TableProgress>> {
  const rows = await tx.query<TableProgress & { name: string }>(
    `select name, moved, last_key as "lastKey" from ${SCHEMA}.progress`,
  );
  return new Map(rows.map(({ name, moved, lastKey }) => [name, { moved, lastKey }]));
}

/**
 * Stores the progress of a table. Call it before the rows are inserted, in their transaction.
 * @returns false if another process has stored progress since `before` was read
 */
export async function storeProgress(
  tx: Queryable,
  name: string,
  before: TableProgress,
  after: TableProgress,
): Promise<boolean> {
  const stored = await tx.query(
    `update ${SCHEMA}.progress set moved = $3, last_key = $4::text[] where name = $1 and moved = $2 returning 1`,
    [name, before.moved, after.moved, after.lastKey],
  );
  return stored.length === 1;
}

/** Removes the marker: the database is complete. */
export async function dropMarker(tx: Queryable): Promise<void> {
  await tx.query(`drop schema ${SCHEMA} cascade`);
}
