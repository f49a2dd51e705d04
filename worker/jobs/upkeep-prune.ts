import { withoutScope } from '../../db/database.ts';
import { pruneIdempotencyKeys, pruneLoadingSources } from '../../db/queries/upkeep.ts';
import type { JobHandler } from '../context.ts';

/** Removes what has had its time: kept answers past their day, and sources that their writer left half-way. */
export const prune: JobHandler<'upkeep.prune'> = async (job, { database, queue, logger }) => {
  await withoutScope(database, async (tx) => {
    const removed = {
      idempotencyKeys: await pruneIdempotencyKeys(tx),
      loadingSources: await pruneLoadingSources(tx),
    };
    await queue.settle(tx, 'upkeep.prune', job);
    logger.debug(removed, 'pruned');
  });
};
