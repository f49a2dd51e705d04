import pg from 'pg';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl, openPrepared } from '../../test/support/needs/database.ts';
import { createEmptyDatabase, createPreparedDatabase } from '../../test/support/needs/own-database.ts';

export const logger = createLogger('fatal', 'bench');

/** The server on which databases are made, which the command needs. */
export function serverUrl(): string {
  if (databaseUrl === undefined) throw new Error('MEMORY_TEST_DATABASE_URL: expected a server (see --help)');
  return databaseUrl;
}

/** A migrated database of the run's own. `url` is undefined for the embedded one. */
export interface OwnDatabase {
  database: Database;
  url: string | undefined;
}

/** Uses an empty database on the server, and drops it. */
export async function withServerDatabase<T>(use: (url: string) => Promise<T>): Promise<T> {
  const own = await createEmptyDatabase(serverUrl());
  try {
    return await use(own.url);
  } finally {
    await own.drop();
  }
}

/** Uses a prepared database on the server, or an embedded one, and removes it. */
export async function withDatabase<T>(
  where: 'embedded' | 'server',
  use: (own: OwnDatabase) => Promise<T>,
): Promise<T> {
  const own = where === 'server' ? await createPreparedDatabase(serverUrl()) : null;
  const database = own === null ? await openPrepared() : openPostgres(own.url, logger);
  try {
    return await use({ database, url: own?.url });
  } finally {
    await database.close();
    await own?.drop();
  }
}

/** Where to measure: the embedded database and, where there is a server, PostgreSQL; with `one`, only the latter if possible. */
export const places = (one = false): ('embedded' | 'server')[] => [
  ...(one && databaseUrl !== undefined ? [] : (['embedded'] as const)),
  ...(databaseUrl === undefined ? [] : (['server'] as const)),
];

/** Runs a statement as long as it takes: the service's own connections end one that takes as long as this may. */
export async function maintain(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Leaves the tables as autovacuum does soon after many inserts. */
export async function vacuum({ database, url }: OwnDatabase): Promise<void> {
  if (url === undefined) await database.query('vacuum analyze');
  else await maintain(url, 'vacuum analyze');
}

/** The database's own name and version. */
export async function describeDatabase(database: Database): Promise<string> {
  const [row] = await database.query<{ version: string; vector: string }>(
    `select split_part(version(), ' on ', 1) as version,
            (select extversion from pg_extension where extname = 'vector') as vector`,
  );
  return `${database.backend}: ${row?.version ?? '?'}, pgvector ${row?.vector ?? '?'}`;
}
