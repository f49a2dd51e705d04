import { unindexLayer } from '../../../core/workspace/unindex-layer.ts';
import { asWorker } from '../../../db/driver/database.ts';
import {
  type FileSource,
  listFileSources,
  listUndecidedTeams,
  queueFiles,
} from '../../../db/queries/workspace/upkeep.ts';
import { IMPORT_EXTENSIONS } from '../../../shared/formats/media-types.ts';
import type { JobContext, JobHandler } from '../../context.ts';

/** Files of one Team that one run enqueues. The next run continues. */
const MAX_FILES_PER_TEAM = 1000;
/** Sources that one statement removes. */
const MAX_SOURCES_PER_SLICE = 200;

/**
 * Enqueues files on which nobody has decided: those pushed before the service indexed files, and those of a Team that was
 * archived. They are indexed after the files that are pushed now.
 */
async function enqueueUndecided({ database, queue }: JobContext): Promise<void> {
  for (const { companyId, teamId } of await asWorker(database, listUndecidedTeams)) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, async (tx) => {
      const files = await queueFiles(tx, teamId, IMPORT_EXTENSIONS, MAX_FILES_PER_TEAM);
      if (files.length === 0) return;
      const jobs = files.map((file) => ({ companyId, teamId, ...file }));
      await queue.enqueueLast(tx, 'file.index', { companyId, teamId }, jobs);
    });
  }
}

/** Removes the sources of all files, because the service does not index files. */
async function removeAll(context: JobContext): Promise<void> {
  const { database, stopping } = context;
  while (!stopping.aborted) {
    const found = await asWorker(database, (tx) => listFileSources(tx, MAX_SOURCES_PER_SLICE));
    if (found.length === 0) return;
    const layers = Map.groupBy(found, ({ teamId, layerId }) => `${teamId} ${layerId}`);
    for (const files of layers.values()) await unindexLayer(context, files[0] as FileSource, files);
  }
}

/** Brings the sources of workspace files in line with the setting. */
export const queueWaitingFiles: JobHandler<'file.waiting'> = async (job, context) => {
  if (context.config.indexFiles) await enqueueUndecided(context);
  else await removeAll(context);
  await asWorker(context.database, (tx) => context.queue.complete(tx, 'file.waiting', job));
};
