import { expireRecords } from '../../core/sources/expiry.ts';
import { asWorker } from '../../db/driver/database.ts';
import { callRows } from '../../db/queries/call.ts';
import type { JobHandler } from '../context.ts';

/**
 * Archives records that have expired. Until then they count as archived, but their names and chunks are kept. Layers take
 * turns, so that one with many records, or one that fails, does not keep the others waiting.
 */
export const expireDueRecords: JobHandler<'records.expire'> = async (job, context) => {
  const { database, queue, stopping } = context;
  let layers = await asWorker(database, (tx) => callRows(tx, 'memory.due_layers'));
  const errors: unknown[] = [];
  while (layers.length > 0 && !stopping.aborted) {
    const unfinished: typeof layers = [];
    for (const layer of layers) {
      if (stopping.aborted) break;
      try {
        if ((await expireRecords(context, layer)) > 0) unfinished.push(layer);
      } catch (error) {
        errors.push(error);
      }
    }
    layers = unfinished;
  }
  if (errors.length > 0) throw new AggregateError(errors, 'records of some layers could not be archived');
  await asWorker(database, (tx) => queue.complete(tx, 'records.expire', job));
};
