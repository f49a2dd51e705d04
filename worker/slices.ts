import { asWorker, type Database, type WorkerTransaction } from '../db/driver/database.ts';

/**
 * Does work on all Teams in slices, each in a transaction of its own, until a slice finds nothing to do.
 * @param slice returns how many rows it found
 */
export async function inSlices(
  database: Database,
  slice: (tx: WorkerTransaction) => Promise<number>,
): Promise<void> {
  while ((await asWorker(database, slice)) > 0);
}
