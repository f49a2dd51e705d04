import { asWorker } from '../../../db/driver/database.ts';
import { call } from '../../../db/queries/call.ts';
import type { JobHandler } from '../../context.ts';

/** Chunks checked by one statement. */
const MAX_CHUNKS_PER_SLICE = 1000;

/** Old vectors deleted by one statement. */
const MAX_VECTORS_PER_SLICE = 1000;

/**
 * After a change of the embedding model, marks every chunk that has no vector of the new model, and deletes the vectors
 * of the old model in each Team whose new vectors are complete. Runs at intervals, and has nothing to do unless the
 * model changed recently. It repeats the check for an hour after a change, because a process of the earlier version can
 * still store vectors of the old model.
 */
export const backfillPending: JobHandler<'embeddings.backfill'> = async (
  job,
  { database, queue, config, stopping },
) => {
  for (let after: string | null = null; ; ) {
    const last: string | null = await asWorker(database, (tx) =>
      call(tx, 'memory.backfill_pending', after, MAX_CHUNKS_PER_SLICE),
    );
    if (last === null) break;
    after = last;
  }
  await asWorker(database, async (tx) => {
    await call(tx, 'memory.finish_backfill');
    if (config.serverEmbeddings) await queue.enqueue(tx, 'embed.waiting', {});
  });
  while (!stopping.aborted) {
    if ((await asWorker(database, (tx) => call(tx, 'memory.prune_old_vectors', MAX_VECTORS_PER_SLICE))) === 0)
      break;
  }
  await asWorker(database, (tx) => queue.complete(tx, 'embeddings.backfill', job));
};
