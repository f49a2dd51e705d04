import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/logger.ts';
import { makeFolder } from '../../shared/settings/folders.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { type EmbeddedDatabase, openEmbedded, START_MEGABYTES } from '../driver/embedded.ts';
import { openPostgres } from '../driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../driver/postgres-pool.ts';
import { readQueueVersion } from '../queue/pg-boss-figures.ts';
import { createQueueTables } from '../queue/pg-boss-jobs.ts';
import { lockStartupStep } from '../startup/lock.ts';
import { migrate } from '../startup/migrate.ts';
import { ensureServiceRoles } from '../startup/service-role.ts';
import { hasMarker, isMarkedFolder, markerFile } from '../startup/unfinished-move.ts';
import { type Address, MoveError } from './address.ts';
import { readPartitions, readTables, SCHEMAS, type Table } from './catalog.ts';
import { createMarker, dropMarker, notePrepared, readMove, resetProgress } from './marker.ts';
import { TEXTS } from './pages.ts';
import { type Source, START_ONCE } from './source.ts';

/** The database that is filled. */
export interface Target {
  database: Database;
  address: Address;
  logger: Logger;
}

const NOT_EMPTY = '--to: the database is not empty';

/** Opens the database that is filled. Nothing is changed in one that is not empty. */
export async function openTarget(address: Address, logger: Logger): Promise<Target> {
  if ('url' in address) {
    const database = openPostgres(address.url, logger, { max: 2, timeouts: BUILD_TIMEOUTS });
    return { database, address, logger };
  }
  const database = await openFolder(address.folder);
  // The rest of a full disk is for what the engine writes on its own.
  database.setMinFree(START_MEGABYTES, logger);
  return { database, address, logger };
}

async function openFolder(folder: string): Promise<EmbeddedDatabase> {
  const variable = '--to';
  await makeFolder(variable, folder, []);
  if (!(await isMarkedFolder(folder))) {
    await assertEmptyFolder(folder);
    const onLocked = async () => {
      // Another process can have used the folder since.
      await assertEmptyFolder(folder);
      await writeFile(markerFile(folder), '');
    };
    return openEmbedded({ dataDir: folder, variable, onLocked });
  }
  const database = await openEmbedded({ dataDir: folder, variable }).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('the embedded database did not start'))
      return null;
    throw error;
  });
  if (database !== null && (await hasMarker(database))) return database;
  if (database !== null && (await hasTables(database))) {
    // The move was completed, and its process killed right after that.
    await rm(markerFile(folder));
    return database;
  }
  // A process was killed while it created the database. A marked folder has nothing of a service.
  await database?.close();
  await rm(join(folder, 'postgres'), { recursive: true, force: true });
  return openEmbedded({ dataDir: folder, variable });
}

async function assertEmptyFolder(folder: string): Promise<void> {
  const found = (await readdir(folder)).filter((name) => name !== 'lock' && !name.startsWith('lock.'));
  if (found.length > 0) throw new MoveError(`--to: the folder is not empty: ${folder}`);
}

async function hasTables(tx: Queryable): Promise<boolean> {
  const found = await tx.query(
    `select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) limit 1`,
    [SCHEMAS],
  );
  return found.length > 0;
}

/** Runs a transaction that writes values as texts. */
export function writeTarget<T>({ database }: Target, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(fn, { text: TEXTS });
}

/**
 * Makes the target ready for rows: it has the tables, no rows but those of this move, and triggers that do not run.
 * @returns the tables of the target, by name
 * @throws MoveError if it is not empty, except for an unfinished move from the same source
 */
export async function prepareTarget(target: Target, source: Source): Promise<ReadonlyMap<string, Table>> {
  const { database, address, logger } = target;
  await database.transaction(async (tx) => {
    if (await hasMoveFrom(source, tx)) return;
    // The process with the lock creates the tables of a service, or the mark of a move. It is not locked before the first
    // look: if the database is --from too, it is never free.
    await lockStartupStep(database, tx, 'migrate');
    if (await hasMoveFrom(source, tx)) return;
    await createMarker(tx, source.identity);
  });
  await ensureServiceRoles(database);
  await migrate(database);
  await createQueueTables(database, 'url' in address ? address.url : null, logger);
  return writeTarget(target, async (tx) => {
    await makePartitions(tx, source.tx);
    const tables = await readTables(tx);
    await assertSameTables(tx, source, tables);
    // The triggers count, seal and keep versions of written rows. Their results are rows that are moved.
    for (const { name } of tables) await tx.query(`alter table ${name} disable trigger user`);
    const { isPrepared } = await readMove(tx);
    // A process that was killed can have lost the rows of unlogged tables: they are moved from the beginning.
    const emptied = isPrepared ? tables.filter(({ isUnlogged }) => isUnlogged) : tables;
    for (const { name } of emptied.toReversed()) await tx.query(`delete from ${name}`);
    const note = isPrepared ? resetProgress : notePrepared;
    await note(
      tx,
      emptied.map(({ name }) => name),
    );
    return new Map(tables.map((table) => [table.name, table]));
  });
}

/**
 * Whether the target has an unfinished move from the source.
 * @throws MoveError if it has anything else of a service
 */
async function hasMoveFrom(source: Source, tx: Queryable): Promise<boolean> {
  if (await hasMarker(tx)) {
    const move = await readMove(tx);
    if (move.source === source.identity) return true;
    throw new MoveError('--to: the database has an unfinished move from another database');
  }
  if (await hasTables(tx)) throw await notEmpty(tx, source);
  return false;
}

async function notEmpty(tx: Queryable, { identity }: Source): Promise<MoveError> {
  const [table] = await tx.query(`select from pg_class where oid = to_regclass('identity.account')`);
  const [same] =
    table === undefined ? [] : await tx.query('select from identity.account where id = $1', [identity]);
  const hint =
    same === undefined
      ? 'move to a new one'
      : 'it has data of the same service, from an earlier move or a copy, or is --from itself';
  return new MoveError(`${NOT_EMPTY}: ${hint}`);
}

async function makePartitions(tx: Queryable, source: Queryable): Promise<void> {
  const existing = new Set((await readPartitions(tx)).map(({ name }) => name));
  for (const { name, of, bounds } of await readPartitions(source)) {
    if (!existing.has(name)) await tx.query(`create table ${name} partition of ${of} ${bounds}`);
  }
}

async function assertSameTables(tx: Queryable, source: Source, tables: readonly Table[]): Promise<void> {
  const shape = (all: readonly Table[]) =>
    all.map(
      ({ name, columns }) =>
        `${name} (${columns.map((column) => `${column.name} ${column.type}`).join(', ')})`,
    );
  const here = shape(tables);
  const there = shape(source.tables);
  const differs = here.find((text) => !there.includes(text)) ?? there.find((text) => !here.includes(text));
  if (differs === undefined && (await readQueueVersion(tx)) === source.queueVersion) return;
  const what = differs === undefined ? 'the tables of the queue' : String(differs.split(' ', 1)[0]);
  throw new MoveError(`--from: ${what} is of another version: ${START_ONCE}`);
}

/** Completes the move: the target is a database like any other from then on. */
export async function completeTarget(target: Target, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) await target.database.query(`analyze ${name}`);
  await writeTarget(target, async (tx) => {
    for (const { name } of tables) await tx.query(`alter table ${name} enable trigger user`);
    await dropMarker(tx);
  });
  const { address } = target;
  if ('folder' in address) await rm(markerFile(address.folder), { force: true });
}
