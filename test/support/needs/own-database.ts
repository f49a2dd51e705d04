import pg from 'pg';
import type { Database } from '../../../db/driver/database.ts';
import { openEmbedded } from '../../../db/driver/embedded.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { createLogger } from '../../../shared/logger.ts';
import { databaseUrl, openPrepared, prepareDatabase, serverTemplate } from './database.ts';
import { hasFailed, keepIfThrown, noteKeptDatabase } from './evidence.ts';

/** Opens an embedded database in a folder that the test looks into. */
export { openEmbedded };

let made = 0;

/** Runs statements on the server of the tests, outside any database under test. */
async function onServer(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    return (await server.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await server.end();
  }
}

/** The databases of tests that are on a server. */
export const ownDatabases = (url: string) =>
  onServer(url, `select datname from pg_database where datname like 'memory\\_own\\_%'`);

/** PostgreSQL's object_in_use and insufficient_privilege. */
const [IN_USE, NO_PRIVILEGE] = ['55006', '42501'];
const TRIES = 12;

/**
 * Drops a database, connections and all. The server waits five seconds for those it has ended to be gone; on a busy
 * machine that may be too short, so it is asked again. Autovacuum may not be ended by force, but ends for who drops
 * without.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  let force = ' with (force)';
  for (let tries = 1; ; tries += 1) {
    try {
      await onServer(url, `drop database ${name}${force}`);
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if ((code !== IN_USE && code !== NO_PRIVILEGE) || tries === TRIES) throw error;
      force = code === NO_PRIVILEGE ? '' : ' with (force)';
    }
  }
}

/** A PostgreSQL database of the test's own. */
export interface ServerDatabase {
  url: string;
  name: string;
  /** Removes it with its connections, or keeps it if a test has failed. Returns whether it is gone. */
  drop(): Promise<boolean>;
}

/** A copy of a PostgreSQL database that nobody uses. The connections that a pooler keeps to it are ended. */
export async function copyDatabase(url: string, template: string): Promise<ServerDatabase> {
  await onServer(
    url,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = '${template}' and usename = current_user`,
  );
  return createDatabase(url, ` template ${template}`);
}

/** An empty PostgreSQL database of the test's own. */
export const createEmptyDatabase = (url: string) => createDatabase(url, '');

/**
 * A migrated PostgreSQL database of the test's own, with its principal: a copy of the one that the runner has made, if
 * there is a runner. To migrate one takes seconds.
 */
export async function createPreparedDatabase(url: string): Promise<ServerDatabase> {
  if (serverTemplate !== undefined) return copyDatabase(url, serverTemplate);
  const own = await createEmptyDatabase(url);
  const database = openPostgres(own.url, createLogger('fatal', 'test'));
  await prepareDatabase(database);
  await database.close();
  return own;
}

async function createDatabase(url: string, template: string): Promise<ServerDatabase> {
  made += 1;
  const name = `memory_own_${process.pid}_${Date.now()}_${made}`;
  await onServer(url, `create database ${name}${template}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const drop = async () => {
    if (hasFailed()) noteKeptDatabase(name);
    else await dropDatabase(url, name);
    return !hasFailed();
  };
  return { url: own.href, name, drop };
}

/**
 * A database for a test that breaks it: of the same kind as the others, migrated, and gone when closed. Where
 * nothing is `prepared`, it is empty.
 */
export async function openOwnDatabase(
  options: { prepared: boolean } = { prepared: true },
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const create = options.prepared ? createPreparedDatabase : createEmptyDatabase;
    const own = await create(databaseUrl);
    const database = openPostgres(own.url, createLogger('fatal', 'test'));
    return {
      ...database,
      close: async () => {
        await database.close();
        await own.drop();
      },
    };
  }
  return options.prepared ? openPrepared() : openEmbedded({ dataDir: null });
}

/** Runs a test on a database of its own, which is kept if the test throws. */
export async function withOwnDatabase(
  use: (database: Database) => Promise<void>,
  options?: { prepared: boolean },
): Promise<void> {
  const database = await openOwnDatabase(options);
  try {
    await keepIfThrown(() => use(database));
  } finally {
    await database.close();
  }
}
