import { asWorker } from '../../db/driver/database.ts';
import { pruneObjects } from '../../db/objects/prune-objects.ts';
import type { JobHandler } from '../context.ts';

/** After this time, no other page of a thousand objects begins: a job of its own continues. */
const MAX_MS = 600_000;
/** Far more than the time between an upload and its row, whatever the clock of the bucket shows. */
const MIN_AGE_MS = 86_400_000;

/**
 * Deletes objects of the bucket that no content has. A process that is killed after an upload leaves one. A prune of contents
 * while the bucket does not answer leaves those of one slice, and then fails.
 */
export const pruneUnusedObjects: JobHandler<'objects.prune'> = async (job, context) => {
  const { blobs, database, logger, queue, stopping } = context;
  let [next, removed]: [string | null, number] = [job.data.after ?? null, 0];
  if (blobs.bucket !== undefined) {
    const writtenBefore = new Date(Date.now() - MIN_AGE_MS);
    const end = Date.now() + MAX_MS;
    do {
      const page = await pruneObjects(database, blobs.bucket, next, writtenBefore);
      removed += page.removed;
      next = page.next;
    } while (next !== null && !stopping.aborted && Date.now() < end);
  } else next = null;
  await asWorker(database, async (tx) => {
    if (next !== null) await queue.enqueue(tx, 'objects.prune', { after: next });
    await queue.complete(tx, 'objects.prune', job);
  });
  if (removed > 0) logger.info({ removed }, 'unused objects of the bucket were deleted');
};
