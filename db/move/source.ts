import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/logger.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { openEmbedded } from '../driver/embedded.ts';
import { openPostgres } from '../driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../driver/postgres-pool.ts';
import { readQueueVersion } from '../queue/pg-boss-figures.ts';
import { tryLockOutStartupStep } from '../startup/lock.ts';
import { countMigrations } from '../startup/migrate.ts';
import { hasMarker, isMarkedFolder } from '../startup/unfinished-move.ts';
import { type Address, MoveError } from './address.ts';
import { readTables, type Table } from './catalog.ts';
import { TEXTS } from './pages.ts';

/** How a database gets the tables of this version. */
export const START_ONCE = 'start this version of the service on it once, stop it, and run this command again';

/** What is moved, as the transaction of the source sees it. */
export interface Source {
  tx: Queryable;
  /** The same for a database and for its copies, and different for any other. */
  identity: string;
  tables: Table[];
  /** The rows of each table, by name. */
  counts: ReadonlyMap<string, number>;
  /** The version of the tables of pg-boss. */
  queueVersion: number;
  /** Contents whose bytes are in a bucket. */
  filesInBucket: number;
  /** Connections of a service to the database when the transaction began. */
  connections: number;
}

/** Opens the database that is moved. A folder is locked, so that no service can use it. */
export async function openSource(address: Address, logger: Logger): Promise<Database> {
  if ('url' in address) return openPostgres(address.url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
  const { folder } = address;
  await access(join(folder, 'postgres', 'PG_VERSION')).catch(() => {
    throw new MoveError(`--from: ${folder} has no embedded database`);
  });
  if (await isMarkedFolder(folder)) throw unfinished();
  return openEmbedded({ dataDir: folder, variable: '--from' });
}

const unfinished = () =>
  new MoveError('--from: the database is the target of another move that is not complete');

/**
 * Runs `fn` in a transaction in which the source does not change. Until it ends, a service that starts on the source
 * waits before it writes anything.
 */
export function readSource<T>(database: Database, fn: (source: Source) => Promise<T>): Promise<T> {
  const opening = { text: TEXTS, isReadOnly: true, isOneMoment: true };
  return database.transaction(async (tx) => fn(await describe(tx)), opening);
}

async function describe(tx: Queryable): Promise<Source> {
  // It does not wait: the transaction would not see what the other process writes.
  if (!(await tryLockOutStartupStep(tx, 'migrate')))
    throw new MoveError('--from: a service starts on the database now: stop it first');
  if (await hasMarker(tx)) throw unfinished();
  const { known, pending, functions } = await countMigrations(tx);
  if (pending === known) throw new MoveError('--from: the database has no tables of the service');
  if (pending + functions > 0)
    throw new MoveError(`--from: the database is of an older version: ${START_ONCE}`);
  const queueVersion = await readQueueVersion(tx);
  const [principal] = await tx.query<{ id: string }>('select id from identity.account where is_principal');
  if (queueVersion === null || principal === undefined) {
    throw new MoveError(`--from: the service was never completely started on the database: ${START_ONCE}`);
  }
  const connections = await countConnections(tx);
  const [files] = await tx.query<{ inBucket: number }>(
    'select count(*)::int as "inBucket" from memory.workspace_blob where object_id is not null',
  );
  const tables = await readTables(tx);
  const counts = new Map<string, number>();
  for (const table of tables) counts.set(table.name, await countRows(tx, table));
  const filesInBucket = files?.inBucket ?? 0;
  return { tx, identity: principal.id, tables, counts, queueVersion, filesInBucket, connections };
}

/** Counts the connections of a service to the source that are open now. */
export async function countConnections(tx: Queryable): Promise<number> {
  // A transaction sees the connections as they were when it looked first.
  await tx.query('select pg_stat_clear_snapshot()');
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'team-memory%'`,
  );
  return row?.count ?? 0;
}

/** Counts the rows of a table. */
export async function countRows(tx: Queryable, { name }: Table): Promise<number> {
  const [row] = await tx.query<{ count: number }>(`select count(*) as count from ${name}`);
  return row?.count ?? 0;
}
