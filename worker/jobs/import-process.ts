import { enqueueIndexing } from '../../core/sources/enqueue-indexing.ts';
import {
  commitSource,
  discardSource,
  type StagedSource,
  stageSource,
  withEmbeddings,
} from '../../core/sources/store-source.ts';
import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { DOCUMENT_TITLE } from '../../db/queries/memory/chunks.ts';
import {
  completeImport,
  requeueImport,
  type StartedImport,
  startImport,
} from '../../db/queries/memory/imports.ts';
import { LostJobError } from '../../db/queue/queue.ts';
import type { Payload } from '../../shared/queues.ts';
import { freeUnshared } from '../../shared/resources/free-memory.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { FileFault } from '../extract/extraction.ts';
import { ReadingInterruptedError } from '../sandbox/reader.ts';
import type { HeldDocument } from '../sandbox/reading-pool.ts';
import { recordImportFailure } from './import-failure.ts';
import { type GivingWay, givingWay } from './import-giving-way.ts';
import { type ImportProgress, importProgress } from './import-progress.ts';

type ImportPayload = Payload<'import.process'>;
type ImportJob = Parameters<JobHandler<'import.process'>>[0];

/** One run of an import. */
interface ImportRun {
  job: ImportJob;
  file: StartedImport;
  progress: ImportProgress;
  /** Aborts when the worker stops, the job is lost, or the import must give way. */
  signal: AbortSignal;
  /** When it must give way to another Company. */
  givingWay: GivingWay;
}

/** Reads the file, cuts it into chunks and stores them. */
async function runImport(context: JobContext, scope: TeamScope, run: ImportRun): Promise<void> {
  const { file, progress, signal, givingWay } = run;
  const { mediaType, content } = file;
  if (content === null) throw new FileFault('file_gone', 'The file has been deleted: import it again.');
  await context.readingPool.read(
    { mediaType, content, teamId: scope.teamId },
    { tell: ({ stage, share }) => progress.tell(stage, share), begun: givingWay.begin, signal },
    async (document) => {
      // Frees up to 32 MiB, which would otherwise be kept until all chunks are written.
      freeUnshared(content);
      const staged = await stageImport(context, scope, run, document);
      await progress.end();
      await finishImport(context, scope, run.job, staged);
    },
  );
}

/** Stages the chunks before the last transaction, because they are large. */
async function stageImport(
  { database, config }: JobContext,
  scope: TeamScope,
  { file, progress, signal, job }: ImportRun,
  { title, contentHash, chunks, chunkCount }: HeldDocument,
): Promise<StagedSource> {
  return stageSource(
    database,
    scope,
    {
      layer: job.data.clientId,
      kind: 'import',
      title: file.title,
      uri: null,
      externalId: null,
      metadata: { filename: file.filename, ...(title === null ? {} : { [DOCUMENT_TITLE]: title }) },
      contentHash: Buffer.from(contentHash),
      model: config.embeddingModel,
      chunks: withEmbeddings(chunks),
    },
    (written) => {
      progress.tell('storing', written / chunkCount);
      if (signal.aborted) throw new ReadingInterruptedError('reading was interrupted');
    },
  );
}

/** Makes the source visible and completes the import and the job, in one transaction. */
async function finishImport(
  context: JobContext,
  scope: TeamScope,
  job: ImportJob,
  staged: StagedSource,
): Promise<void> {
  const { database, queue } = context;
  try {
    await transaction(database, scope, async (tx) => {
      await recordImport(tx, context, job.data, staged);
      await queue.settle(tx, 'import.process', job);
    });
  } catch (error) {
    await discardSource(database, scope, staged);
    throw error;
  }
}

async function recordImport(
  tx: TeamTransaction,
  { queue, config }: JobContext,
  payload: ImportPayload,
  staged: StagedSource,
): Promise<void> {
  const { clientId, importId } = payload;
  const { outcome, source } = await commitSource(tx, staged);
  if (!(await completeImport(tx, importId, source.id))) throw new Error('the import is no longer running');
  insertAuditEvents(tx, [
    {
      kind: 'memory.import_complete',
      subjectType: 'import',
      subjectId: importId,
      layer: clientId,
      detail: { sourceId: source.id, duplicate: outcome === 'duplicate', chunks: source.chunks },
    },
  ]);
  if (outcome !== 'duplicate') {
    await enqueueIndexing(tx, queue, config, [clientId]);
  }
}

/**
 * Ends a run that failed. A fault of the file fails the import at once. If the worker stops or the run gives way to
 * another Company, the job is released. Any other error is thrown, so that the queue retries the job.
 */
async function endRun(
  { database, queue, stopping }: JobContext,
  scope: TeamScope,
  { job, file, givingWay }: ImportRun,
  error: unknown,
): Promise<void> {
  // Another worker has the job and the import, so this one must not change them.
  if (error instanceof LostJobError) throw error;
  const { importId } = job.data;
  if (error instanceof FileFault) {
    await transaction(database, scope, async (tx) => {
      await recordImportFailure(tx, job.data, error);
      await queue.settle(tx, 'import.process', job);
    });
  } else if (error instanceof ReadingInterruptedError) {
    await transaction(database, scope, async (tx) => {
      await requeueImport(tx, importId, file.attempts);
      if (givingWay.signal.aborted && !stopping.aborted) await queue.demote(tx, 'import.process', job);
      else await queue.giveBack(tx, 'import.process', job);
    });
  } else {
    await transaction(database, scope, (tx) => requeueImport(tx, importId, file.attempts));
    throw error;
  }
}

/** Marks the import as running, for this attempt. Returns null if there is nothing to do. */
async function startRun(
  { database, queue }: JobContext,
  scope: TeamScope,
  job: ImportJob,
): Promise<StartedImport | null> {
  return transaction(database, scope, async (tx) => {
    // A worker that was frozen after it dequeued the job must not change the state of a later run.
    await queue.assertHeld(tx, 'import.process', job);
    const file = await startImport(tx, job.data.importId);
    if (file === null) await queue.settle(tx, 'import.process', job);
    return file;
  });
}

/** Makes a source of an imported file, exactly once. */
export const processImport: JobHandler<'import.process'> = async (job, context) => {
  const scope = jobScope(job.data);
  const file = await startRun(context, scope, job);
  if (file === null) return;
  const progress = importProgress(context, scope, job.data.importId, file.attempts);
  // The signal of the job aborts if the job no longer belongs to this worker. Releasing it then shows this.
  const toOthers = givingWay(context, scope.companyId);
  const signal = AbortSignal.any([context.stopping, job.signal, toOthers.signal]);
  const run = { job, file, progress, signal, givingWay: toOthers };
  try {
    await runImport(context, scope, run);
  } catch (error) {
    await progress.end();
    await endRun(context, scope, run, error);
  } finally {
    toOthers.end();
  }
};
