import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '../../../db/driver/database.ts';
import { openEmbedded } from '../../../db/driver/embedded.ts';
import { openQueue } from '../../../db/queue/queue.ts';
import { createLogger } from '../../../shared/logger.ts';
import { keptFolder } from '../cache.ts';
import { prepareDatabase } from '../needs/database.ts';
import { ROOT } from '../root.ts';

/** Migrates a database, and makes its principal and its queues. */
export async function prepareWithQueues(database: Database, databaseUrl: string | null): Promise<void> {
  await prepareDatabase(database);
  const logger = createLogger('fatal', 'test');
  const queue = await openQueue({ database, databaseUrl, supervise: false, logger, drainMs: 1000 });
  await queue.stop();
}

/** Of what a migrated database is made: all of it can change one. */
const SOURCES = ['db/**', 'shared/**', 'package-lock.json', 'test/support/needs/database.ts'];
/** Snapshots of so many states of the code are kept, those of a few branches, and those that a run can still use. */
const KEPT = 4;
const LONGEST_RUN_MS = 2 * 60 * 60_000;

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort()) {
    const file = join(ROOT, path);
    if ((await stat(file)).isFile()) hash.update(`${path}\n`).update(await readFile(file));
  }
  return hash.update(await readFile(import.meta.filename)).digest('hex');
}

async function writeSnapshot(folder: string): Promise<void> {
  const database = await openEmbedded({ dataDir: join(folder, 'data') });
  await prepareWithQueues(database, null);
  const dump = await database.dump();
  await database.close();
  await writeFile(join(folder, 'snapshot.tar'), new Uint8Array(await dump.arrayBuffer()));
}

/** Removes all snapshots but those that are kept. */
async function removeOlder(folder: string): Promise<void> {
  const names = await readdir(folder);
  const dated = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      usedAt: (await stat(join(folder, name))).mtimeMs,
    })),
  );
  const older = dated
    .sort((one, other) => other.usedAt - one.usedAt)
    .slice(KEPT)
    .filter(({ usedAt }) => usedAt < Date.now() - LONGEST_RUN_MS);
  for (const { path } of older) await rm(path, { recursive: true, force: true });
}

/**
 * A migrated database with its queues, from which every process of a run starts: to make one takes seconds. It is kept in the
 * cache of the user until the code changes that makes it.
 * @returns the environment that tells the tests where it is, as a file for databases in memory and as a folder for
 *   processes of the service
 */
export async function keptSnapshot(): Promise<Record<string, string>> {
  const folder = await keptFolder(
    join('test-databases', await hashOfSources()),
    'snapshot.tar',
    async (partial) => {
      await writeSnapshot(partial);
      await removeOlder(dirname(partial));
    },
  );
  const now = new Date();
  await utimes(folder, now, now);
  return {
    MEMORY_TEST_SNAPSHOT: join(folder, 'snapshot.tar'),
    MEMORY_TEST_DATA_DIR: join(folder, 'data'),
  };
}
