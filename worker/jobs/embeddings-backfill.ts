import { withoutScope } from '../../db/database.ts';
import { backfillPendingChunks, finishBackfill } from '../../db/queries/upkeep.ts';
import type { JobHandler } from '../context.ts';

/** Chunks looked at by one statement. */
const SLICE = 1000;

/**
 * After a change of the embedding model, marks every chunk that has no vector of it as waiting for one. Runs at
 * intervals and has nothing to do unless the model changed lately: for an hour after that it looks again, since a
 * process of the version before may still have stored vectors of the old one.
 */
export const backfillPending: JobHandler<'embeddings.backfill'> = async (job, { database, queue }) => {
  for (let after: string | null = null; ; ) {
    const last: string | null = await withoutScope(database, (tx) => backfillPendingChunks(tx, after, SLICE));
    if (last === null) break;
    after = last;
  }
  await withoutScope(database, async (tx) => {
    await finishBackfill(tx);
    await queue.settle(tx, 'embeddings.backfill', job);
  });
};
