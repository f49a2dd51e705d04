import { isQuotaExceeded } from '../../core/access/lock-and-recheck.ts';
import {
  completeIndexing,
  failIndexing,
  fieldsOfFile,
  type IndexedFile,
  stageFile,
  startIndexing,
  unindexLayer,
} from '../../core/workspace/indexing.ts';
import { asWorker, withoutScope } from '../../db/driver/database.ts';
import { pruneObjects } from '../../db/objects/move-contents.ts';
import { callRows } from '../../db/queries/call.ts';
import type { FileSource } from '../../db/queries/workspace/indexing.ts';
import {
  IMPORT_BUILD_NAMES,
  IMPORT_EXTENSIONS,
  IMPORT_NAMES,
  importMediaType,
} from '../../shared/formats/media-types.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { FileFault, SecretFault } from '../extract/extraction.ts';
import { ReadingInterruptedError } from '../sandbox/reader.ts';

type IndexJob = Parameters<JobHandler<'file.index'>>[0];

/** Reads a version of a file, cuts it into chunks and stores them as the file's source. */
async function readFile(
  context: JobContext,
  scope: TeamScope,
  job: IndexJob,
  file: IndexedFile,
): Promise<void> {
  if (file.isRefused) throw new SecretFault(file.redactions);
  const mediaType = importMediaType(file.name, undefined, false);
  if (mediaType === null) throw new FileFault('unsupported_media_type', 'The format cannot be read.');
  const content = (await context.blobs.read(scope, [file.sha256])).get(file.sha256) ?? null;
  // If a push has superseded the version, it can have been deleted. The next attempt then finds nothing to do.
  if (content === null) throw new Error('the content of the version does not exist');
  const signal = AbortSignal.any([context.stopping, job.signal]);
  const fields = await fieldsOfFile(context, scope, file);
  await context.readingPool.read(
    { mediaType, filename: file.path, content, teamId: scope.teamId, fields, redaction: file.redaction },
    { report: () => undefined, signal },
    async (document) => {
      const staged = await stageFile(context, scope, file, document, (_written, deleteStaged) => {
        if (signal.aborted) throw new ReadingInterruptedError('storing was interrupted', deleteStaged);
      });
      await completeIndexing(context, scope, job, staged);
    },
  );
}

/** Makes the text of a version of a workspace file searchable, exactly once. */
export const indexFile: JobHandler<'file.index'> = async (job, context) => {
  const scope = jobScope(job.data);
  const file = await startIndexing(context, scope, job);
  if (file === null) return;
  try {
    await readFile(context, scope, job, file);
  } catch (error) {
    if (error instanceof FileFault || isQuotaExceeded(error)) {
      await failIndexing(context, scope, 'file.index', job, error.code);
    } else if (error instanceof ReadingInterruptedError) {
      await withoutScope(context.database, (tx) => context.queue.release(tx, 'file.index', job));
      await error.deleteStaged();
    } else throw error;
  }
};

/** Files of one Team that one run enqueues. The next run continues. */
const MAX_FILES_PER_TEAM = 1000;
/** Sources that one statement removes. */
const MAX_SOURCES_PER_SLICE = 200;

/**
 * Enqueues files on which nobody has decided: those pushed before the service indexed files, and those of a Team that was
 * archived. They are indexed after the files that are pushed now.
 */
async function enqueueUndecided({ database, queue }: JobContext): Promise<void> {
  for (const { companyId, teamId } of await asWorker(database, (tx) =>
    callRows(tx, 'memory.undecided_teams'),
  )) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, async (tx) => {
      const files = await callRows(
        tx,
        'memory.queue_files',
        teamId,
        IMPORT_EXTENSIONS,
        IMPORT_NAMES,
        IMPORT_BUILD_NAMES,
        MAX_FILES_PER_TEAM,
      );
      if (files.length === 0) return;
      const jobs = files.map(({ updatedBy: userId, updatedByToken: tokenId, ...version }) => ({
        companyId,
        teamId,
        ...version,
        userId,
        tokenId,
      }));
      await queue.enqueueLast(tx, 'file.index', { companyId, teamId }, jobs);
    });
  }
}

/** Removes the sources of all files, because the service does not index files. */
async function removeAll(context: JobContext): Promise<void> {
  const { database, stopping } = context;
  while (!stopping.aborted) {
    const found = await asWorker(database, (tx) =>
      callRows(tx, 'memory.file_sources', MAX_SOURCES_PER_SLICE),
    );
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

/** Marks a file whose job has used all its attempts as failed, so that it is not pending forever. */
export const failLostFile: JobHandler<'file.dead'> = (job, context) =>
  failIndexing(context, jobScope(job.data), 'file.dead', job, 'index_interrupted');

/** Versions checked by one statement. */
const MAX_VERSIONS_PER_SLICE = 1000;

async function pruneVersions({ config, database }: JobContext): Promise<number> {
  const { workspaceKeepVersions: keep } = config;
  let [after, removed]: [string | null, number] = [null, 0];
  do {
    const [pruned] = await asWorker(database, (tx) =>
      callRows(tx, 'memory.prune_workspace_versions', after, keep, MAX_VERSIONS_PER_SLICE),
    );
    after = pruned?.last ?? null;
    removed += pruned?.removed ?? 0;
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
