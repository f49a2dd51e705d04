import { readFile } from 'node:fs/promises';
import { after } from 'node:test';
import type { Database } from '../../../db/driver/database.ts';
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from '../../../db/driver/embedded.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { createCompany, resolvePrincipal } from '../../../db/startup/bootstrap.ts';
import { migrate } from '../../../db/startup/migrate.ts';
import { assertIsolation, ensureServiceRoles } from '../../../db/startup/service-role.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';

/** The real PostgreSQL to test against, or undefined for the embedded database. */
export const databaseUrl = process.env['MEMORY_TEST_DATABASE_URL'] || undefined;

/** The prepared database on that server from which others are copied, if a runner has made one. */
export const serverTemplate = process.env['MEMORY_TEST_TEMPLATE'];

export const TEST_MODEL_NAME = 'Xenova/bge-m3';
const PRINCIPAL = {
  companyName: 'Company',
  teamName: 'General',
  ownerEmail: 'owner@localhost',
  embeddingModel: TEST_MODEL_NAME,
};

/** Migrates a database and makes its principal: what start-up does, without a process. */
export async function prepareDatabase(database: Database): Promise<void> {
  await ensureServiceRoles(database);
  await migrate(database);
  await resolvePrincipal(database, PRINCIPAL);
  await assertIsolation(database);
}

/** The embedded one, for all test files of this process, and how many work in it. */
let shared: { database: Promise<Database>; users: number } | null = null;

async function openShared(): Promise<Database> {
  const own = (shared ??= { database: openPrepared(), users: 0 });
  own.users += 1;
  const database = await own.database;
  let closed = false;
  return {
    ...database,
    close: async () => {
      if (closed) return;
      closed = true;
      own.users -= 1;
      if (own.users > 0) return;
      if (shared === own) shared = null;
      await database.close();
    },
  };
}

/**
 * The database that a test file works in, which others may use at the same time. Closed when the file's tests are
 * done.
 */
export async function openTestDatabase(): Promise<Database> {
  const database = await (databaseUrl === undefined ? openShared() : openServer(databaseUrl));
  after(() => database.close());
  return database;
}

/**
 * The preparation of the database on the server: once is enough for all test files of this process. That of a runner is
 * a copy, which needs none.
 */
let prepared: Promise<void> | null = null;

async function openServer(url: string): Promise<Database> {
  const database = openPostgres(url, createLogger('fatal', 'test'));
  if (serverTemplate === undefined) await (prepared ??= prepareDatabase(database));
  return database;
}

/**
 * A migrated embedded database, from the snapshot if there is one.
 * @param disk what it sees of a disk, which it has none of
 */
export async function openPrepared(disk: Pick<EmbeddedOptions, 'freeBytes'> = {}): Promise<EmbeddedDatabase> {
  const snapshot = process.env['MEMORY_TEST_SNAPSHOT'];
  if (snapshot !== undefined) {
    return openEmbedded({ dataDir: null, snapshot: new Blob([await readFile(snapshot)]), ...disk });
  }
  const database = await openEmbedded({ dataDir: null, ...disk });
  await prepareDatabase(database);
  return database;
}

export interface TestCompany {
  companyId: string;
  ownerId: string;
  ownerEmail: string;
  teamId: string;
}

/** A Company of the test's own, with an Owner and a Team: tests run side by side and clean nothing up. */
export async function createTestCompany(database: Database): Promise<TestCompany> {
  const ownerEmail = `owner-${newId()}@example.com`;
  const made = await database.transaction((tx) =>
    createCompany(tx, { companyName: 'Test Company', teamName: 'Test Team', ownerEmail, principal: false }),
  );
  return { companyId: made.companyId, ownerId: made.userId, ownerEmail, teamId: made.teamId };
}
