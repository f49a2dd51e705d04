import { isQuotaExceeded } from '../../../core/access/assert-within-quota.ts';
import { failIndexing } from '../../../core/workspace/fail-indexing.ts';
import {
  completeIndexing,
  fieldsOfFile,
  type IndexedFile,
  stageFile,
  startIndexing,
} from '../../../core/workspace/index-file.ts';
import { withoutScope } from '../../../db/driver/database.ts';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { jobScope, type TeamScope } from '../../../shared/scope.ts';
import type { JobContext, JobHandler } from '../../context.ts';
import { FileFault, SecretFault } from '../../extract/extraction.ts';
import { ReadingInterruptedError } from '../../sandbox/reader.ts';

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
    { mediaType, content, teamId: scope.teamId, fields, redaction: file.redaction },
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
