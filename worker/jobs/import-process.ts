import { type TeamTransaction, transaction } from '../../db/database.ts';
import { insertAuditEvents } from '../../db/queries/audit.ts';
import { completeImport, requeueImport, type StartedImport, startImport } from '../../db/queries/imports.ts';
import { type JobQueue, LostJobError } from '../../db/queue.ts';
import { commitSource, discardSource, type StagedSource, stageSource } from '../../db/store-source.ts';
import { contentHash } from '../../shared/content-hash.ts';
import { prepareChunks, TooManyChunksError } from '../../shared/prepared-chunks.ts';
import type { Payload } from '../../shared/queues.ts';
import { jobScope, type TeamScope } from '../../shared/scope.ts';
import type { JobContext, JobHandler } from '../context.ts';
import { FileFault } from '../extract/extraction.ts';
import { EXTRACTORS } from '../extract/registry.ts';
import { recordImportFailure } from './import-failure.ts';

type ImportPayload = Payload<'import.process'>;
type ImportJob = Parameters<JobHandler<'import.process'>>[0];

/** Reads the file, cuts it and writes what is large ahead: everything slow, outside the last transaction. */
async function stageImport(
  { database, config }: JobContext,
  scope: TeamScope,
  { clientId }: ImportPayload,
  file: StartedImport,
): Promise<StagedSource> {
  const extract = EXTRACTORS[file.mediaType];
  if (extract === undefined)
    throw new FileFault('unsupported_type', 'Files of this type cannot be imported.');
  const input = extract(file.content);
  const chunks = await prepareChunks(scope.teamId, input).catch((error: unknown) => {
    if (error instanceof TooManyChunksError) throw new FileFault('too_many_chunks', error.message);
    throw error;
  });
  return stageSource(database, scope, {
    layer: clientId,
    kind: 'import',
    title: file.title,
    uri: null,
    externalId: null,
    metadata: { filename: file.filename },
    contentHash: contentHash(input),
    model: config.embeddingModel,
    chunks: chunks.map((chunk) => ({ ...chunk, embedding: null })),
  });
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

/** Makes a source of an imported file, exactly once. A fault of the file fails the import at once. */
export const processImport: JobHandler<'import.process'> = async (job, context) => {
  const { database, queue } = context;
  const { importId } = job.data;
  const scope = jobScope(job.data);
  const file = await transaction(database, scope, (tx) => startImport(tx, importId));
  if (file === null) {
    await transaction(database, scope, (tx) => queue.settle(tx, 'import.process', job));
    return;
  }
  try {
    await finishImport(context, scope, job, await stageImport(context, scope, job.data, file));
  } catch (error) {
    // Another worker has the job, and the import with it: leave both alone.
    if (error instanceof LostJobError) throw error;
    if (!(error instanceof FileFault)) {
      await transaction(database, scope, (tx) => requeueImport(tx, importId));
      throw error;
    }
    await transaction(database, scope, async (tx) => {
      await recordImportFailure(tx, job.data, error);
      await queue.settle(tx, 'import.process', job);
    });
  }
};
