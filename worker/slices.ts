import { asWorker, type WorkerTransaction } from '../db/driver/database.ts';
import type { Config } from '../shared/config.ts';
import type { QueueName } from '../shared/queues.ts';
import type { JobContext, JobHandler } from './context.ts';

/**
 * Does work on all Teams in slices, each in a transaction of its own, until a slice finds nothing to do.
 * @param slice returns how many rows it found
 */
export async function inSlices(
  { database }: Pick<JobContext, 'database'>,
  slice: (tx: WorkerTransaction) => Promise<number>,
): Promise<void> {
  while ((await asWorker(database, slice)) > 0);
}

/** A job that only does work in slices, such as deleting what is old. */
export function sliceJob<Q extends QueueName>(
  name: Q,
  slice: (tx: WorkerTransaction, config: Config) => Promise<number>,
): JobHandler<Q> {
  return async (job, context) => {
    await inSlices(context, (tx) => slice(tx, context.config));
    await asWorker(context.database, (tx) => context.queue.complete(tx, name, job));
  };
}
