import { type TeamTransaction, transaction } from '../../db/database.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import { DOCUMENT_TITLE } from '../../db/queries/chunks.ts';
import { completeImport, requeueImport, type StartedImport, startImport } from '../../db/queries/imports.ts';
import { type JobQueue, LostJobError } from '../../db/queue.ts';
import { commitSource, discardSource, type StagedSource, stageSource } from '../../db/store-source.ts';
import { contentHash } from '../../shared/content-hash.ts';
import { type ChunkInput, prepareChunks, TooManyChunksError } from '../../shared/prepared-chunks.ts';
import type { Payload } from '../../shared/queues.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { type Extraction, FileFault } from '../extract/extraction.ts';
import { ReadingInterruptedError } from '../extract/reading-pool.ts';
import { recordImportFailure } from './import-failure.ts';
import { type ImportProgress, importProgress } from './import-progress.ts';

type ImportPayload = Payload<'import.process'>;
type ImportJob = Parameters<JobHandler<'import.process'>>[0];

/** A document of one part without pages is a text like any other, and known again as such. */
function chunkInput({ parts }: Extraction): ChunkInput {
  if (parts.every(({ text }) => text.trim() === ''))
    throw new FileFault('no_text', 'The file holds no text.');
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 && only.page === null ? { text: only.text } : { parts };
}

/** Reads the file, cuts it and writes what is large ahead: everything slow, outside the last transaction. */
async function stageImport(
  { database, config, readingPool, stopping }: JobContext,
  scope: TeamScope,
  { clientId }: ImportPayload,
  file: StartedImport,
  progress: ImportProgress,
): Promise<StagedSource> {
  const { mediaType, content } = file;
  const extraction = await readingPool.read(
    { mediaType, content },
    { tell: (share) => progress.tell('reading', share), signal: stopping },
  );
  const input = chunkInput(extraction);
  progress.tell('cutting', 0);
  const chunks = await prepareChunks(scope.teamId, input).catch((error: unknown) => {
    if (error instanceof TooManyChunksError) throw new FileFault('too_many_chunks', error.message);
    throw error;
  });
  if (stopping.aborted) throw new ReadingInterruptedError('the worker stops');
  return stageSource(
    database,
    scope,
    {
      layer: clientId,
      kind: 'import',
      title: file.title,
      uri: null,
      externalId: null,
      metadata: {
        filename: file.filename,
        ...(extraction.title === null ? {} : { [DOCUMENT_TITLE]: extraction.title }),
      },
      contentHash: contentHash(input),
      model: config.embeddingModel,
      chunks: chunks.map((chunk) => ({ ...chunk, embedding: null })),
    },
    (share) => {
      progress.tell('storing', share);
      if (stopping.aborted) throw new ReadingInterruptedError('the worker stops');
    },
  );
}

/** Shows the source and settles import and job, in one transaction. What was staged goes if that fails. */
async function finishImport(
  { database, queue }: JobContext,
  scope: TeamScope,
  job: ImportJob,
  staged: StagedSource,
): Promise<void> {
  try {
    await transaction(database, scope, async (tx) => {
      await recordImport(tx, queue, job.data, staged);
      await queue.settle(tx, 'import.process', job);
    });
  } catch (error) {
    await discardSource(database, scope, staged);
    throw error;
  }
}

async function recordImport(
  tx: TeamTransaction,
  queue: JobQueue,
  payload: ImportPayload,
  staged: StagedSource,
): Promise<void> {
  const { companyId, teamId, userId, clientId, importId } = payload;
  const { outcome, source } = await commitSource(tx, staged);
  if (!(await completeImport(tx, importId, source.id))) throw new Error('the import is not running any more');
  await insertAuditEvents(tx, [
    {
      kind: 'memory.import_complete',
      subjectType: 'import',
      subjectId: importId,
      layer: clientId,
      detail: { sourceId: source.id, duplicate: outcome === 'duplicate', chunks: source.chunks },
    },
  ]);
  if (outcome !== 'duplicate') {
    await queue.send(tx, 'keywords.count', { companyId, teamId, userId }, { key: teamId });
  }
}

/**
 * Ends a run that came to nothing: a fault of the file fails the import at once, a worker that stops gives the job
 * back, and anything else is thrown, for the queue to try again.
 */
async function endRun(
  { database, queue }: JobContext,
  scope: TeamScope,
  { job, attempt }: { job: ImportJob; attempt: number },
  error: unknown,
): Promise<void> {
  // Another worker has the job, and the import with it: leave both alone.
  if (error instanceof LostJobError) throw error;
  const { importId } = job.data;
  if (error instanceof FileFault) {
    await transaction(database, scope, async (tx) => {
      await recordImportFailure(tx, job.data, error);
      await queue.settle(tx, 'import.process', job);
    });
  } else if (error instanceof ReadingInterruptedError) {
    await transaction(database, scope, async (tx) => {
      await requeueImport(tx, importId, attempt);
      await queue.giveBack(tx, 'import.process', job);
    });
  } else {
    await transaction(database, scope, (tx) => requeueImport(tx, importId, attempt));
    throw error;
  }
}

/** Makes a source of an imported file, exactly once. */
export const processImport: JobHandler<'import.process'> = async (job, context) => {
  const { database, queue } = context;
  const { importId } = job.data;
  const scope = jobScope(job.data);
  const file = await transaction(database, scope, (tx) => startImport(tx, importId));
  if (file === null) {
    await transaction(database, scope, (tx) => queue.settle(tx, 'import.process', job));
    return;
  }
  const progress = importProgress(context, scope, importId, file.attempts);
  try {
    const staged = await stageImport(context, scope, job.data, file, progress);
    await progress.end();
    await finishImport(context, scope, job, staged);
  } catch (error) {
    await progress.end();
    await endRun(context, scope, { job, attempt: file.attempts }, error);
  }
};
