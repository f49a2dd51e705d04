import { asWorker } from '../../db/driver/database.ts';
import { pruneWorkspaceVersions } from '../../db/queries/memory/upkeep.ts';
import type { JobContext, JobHandler } from '../context.ts';

/** Versions checked by one statement. */
const MAX_VERSIONS_PER_SLICE = 1000;

async function pruneVersions({ config, database }: JobContext): Promise<number> {
  let [after, removed]: [string | null, number] = [null, 0];
  do {
    const pruned = await asWorker(database, (tx) =>
      pruneWorkspaceVersions(tx, after, config.workspaceKeepVersions, MAX_VERSIONS_PER_SLICE),
    );
    after = pruned.last;
    removed += pruned.removed;
  } while (after !== null);
  return removed;
}

async function pruneContents({ blobs }: JobContext): Promise<number> {
  let removed = 0;
  for (;;) {
    const pruned = await blobs.prune();
    removed += pruned.removed;
    if (pruned.seen === 0) return removed;
  }
}

/** Deletes old versions of files, and then contents to which no version refers. */
export const pruneWorkspace: JobHandler<'workspace.prune'> = async (job, context) => {
  const removed = { versions: await pruneVersions(context), contents: await pruneContents(context) };
  await asWorker(context.database, (tx) => context.queue.complete(tx, 'workspace.prune', job));
  context.logger.debug(removed, 'pruned workspaces');
};
