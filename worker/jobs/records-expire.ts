import { expireRecords } from '../../core/sources/removal/expire-records.ts';
import { asWorker } from '../../db/driver/database.ts';
import { listDueLayers } from '../../db/queries/memory/expiry.ts';
import type { JobHandler } from '../context.ts';

/** Archives records that have expired. Until then they count as archived, but their names and chunks are kept. */
export const expireDueRecords: JobHandler<'records.expire'> = async (job, context) => {
  const { database, queue, stopping } = context;
  for (const layer of await asWorker(database, listDueLayers)) {
    while (!stopping.aborted && (await expireRecords(context, layer)) > 0);
  }
  await asWorker(database, (tx) => queue.settle(tx, 'records.expire', job));
};
