import { join } from 'node:path';
import type { Database } from '../../../db/driver/database.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { type MoveReport, moveDatabase } from '../../../db/move/move-database.ts';
import { createQueueTables } from '../../../db/queue/pg-boss-jobs.ts';
import { type Config, readConfig } from '../../../shared/config.ts';
import { createLogger } from '../../../shared/logger.ts';
import { databaseUrl, prepareDatabase } from '../../support/needs/database.ts';
import {
  createEmptyDatabase,
  createPreparedDatabase,
  openEmbedded,
  type ServerDatabase,
} from '../../support/needs/own-database.ts';
import { serviceFolder, temporaryFolder } from '../../support/needs/process.ts';

/** A kind of database that can be moved, or moved to. */
export type Kind = 'embedded' | 'postgres';

/** Every direction that the database of this run adds. */
export const DIRECTIONS: readonly (readonly [from: Kind, to: Kind])[] =
  databaseUrl === undefined
    ? [['embedded', 'embedded']]
    : [
        ['embedded', 'postgres'],
        ['postgres', 'embedded'],
        ['postgres', 'postgres'],
      ];

/** A database as the command names it. */
export interface Named {
  address: string;
  /** The connection string; undefined for an embedded one. */
  url: string | undefined;
  open(): Promise<Database>;
}

const servers: ServerDatabase[] = [];

/** Drops what is on the server. Call it when the tests of a file are done. */
export async function dropServers(): Promise<void> {
  for (const own of servers.splice(0)) await own.drop();
}

function onServer(own: ServerDatabase): Named {
  servers.push(own);
  const open = async () => openPostgres(own.url, createLogger('fatal', 'test'));
  return { address: own.url, url: own.url, open };
}

function inFolder(folder: string): Named {
  return { address: folder, url: undefined, open: () => openEmbedded({ dataDir: folder }) };
}

/** Names a database that does not exist, or is empty. */
export async function emptyDatabase(kind: Kind): Promise<Named> {
  if (kind === 'postgres') return onServer(await createEmptyDatabase(databaseUrl ?? ''));
  return inFolder(join(await temporaryFolder(), 'data'));
}

/** Makes a migrated database with its principal. */
export async function preparedDatabase(kind: Kind): Promise<Named> {
  if (kind === 'postgres') return onServer(await createPreparedDatabase(databaseUrl ?? ''));
  const made = inFolder(join(await serviceFolder(), '.data'));
  await use(made, prepareDatabase);
  return made;
}

/** Makes a database that a service was started on. */
export async function startedDatabase(kind: Kind): Promise<Named> {
  const made = await preparedDatabase(kind);
  await use(made, (database) =>
    createQueueTables(database, made.url ?? null, createLogger('silent', 'test')),
  );
  return made;
}

/** The settings of a service on a database. */
export function configOf({ url, address }: Named): Config {
  const place = url === undefined ? { MEMORY_DATA_DIR: address } : { MEMORY_DATABASE_URL: url };
  return readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...place });
}

/** Opens a database, and closes it again. */
export async function use<T>(named: Named, fn: (database: Database) => Promise<T>): Promise<T> {
  const database = await named.open();
  try {
    return await fn(database);
  } finally {
    await database.close();
  }
}

/** Waits until the server has ended all connections to a database. */
export async function untilUnused({ url }: Named, onServer: Named): Promise<void> {
  const name = new URL(String(url)).pathname.slice(1);
  await use(onServer, async (watching) => {
    const isUsed = () => watching.query('select from pg_stat_activity where datname = $1', [name]);
    while ((await isUsed()).length > 0) continue;
  });
}

/**
 * Waits until somebody waits for a lock on the database, or the promise is settled.
 * @param which a condition on the rows of pg_locks
 * @returns whether somebody waits
 */
export async function isLockAwaited(
  database: Pick<Database, 'query'>,
  other: Promise<unknown>,
  which: string,
): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  other.then(settle, settle);
  for (;;) {
    const waiting = await database.query(
      `select from pg_locks where not granted and ${which}
          and database = (select oid from pg_database where datname = current_database())`,
    );
    if (waiting.length > 0) return true;
    if (isSettled) return false;
  }
}

/** Moves one database to the other, in this process. */
export function move(from: Named, to: Named): Promise<MoveReport> {
  return moveDatabase({ from: from.address, to: to.address }, () => undefined);
}
