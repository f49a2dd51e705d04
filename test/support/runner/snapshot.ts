import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../db/driver/database.ts';
import { openEmbedded } from '../../../db/driver/embedded.ts';
import { openQueue } from '../../../db/queue/queue.ts';
import { createLogger } from '../../../shared/logger.ts';
import { prepareDatabase } from '../needs/database.ts';

/** Migrates a database, and makes its principal and its queues. */
export async function prepareWithQueues(database: Database, databaseUrl: string | null): Promise<void> {
  await prepareDatabase(database);
  const logger = createLogger('fatal', 'test');
  const queue = await openQueue({ database, databaseUrl, supervise: false, logger, drainMs: 1000 });
  await queue.stop();
}

/**
 * Writes a migrated database with its queues, from which every process of a run starts: to make one takes seconds.
 * @returns the environment that tells the tests where it is, as a file for databases in memory and as a folder for
 *   processes of the service
 */
export async function writeSnapshot(folder: string): Promise<Record<string, string>> {
  const dataDir = join(folder, 'data');
  const database = await openEmbedded({ dataDir });
  await prepareWithQueues(database, null);
  const snapshot = join(folder, 'snapshot.tar');
  const dump = await database.dump();
  await writeFile(snapshot, new Uint8Array(await dump.arrayBuffer()));
  await database.close();
  return { MEMORY_TEST_SNAPSHOT: snapshot, MEMORY_TEST_DATA_DIR: dataDir };
}
