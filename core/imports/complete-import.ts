import type { TeamTransaction } from '../../db/driver/database.ts';
import { attachOriginal } from '../../db/queries/library/originals.ts';
import { DOCUMENT_TITLE } from '../../db/queries/memory/chunks.ts';
import { completeImport as complete, type StartedImport } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { Payload } from '../../shared/queues.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Original } from '../../shared/schemas/memory.ts';
import { clientOf, type LayerId, permitsChangeOf, type TeamScope } from '../../shared/scope.ts';
import type { SourceFields } from '../../shared/text/fields.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import { type Applied, runAndComplete } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';
import {
  commitSource,
  deleteStagedSource,
  type StagedSource,
  type StagingReport,
  stageSource,
  withEmbeddings,
} from '../sources/store-source.ts';
import type { RunningImport } from './start-import.ts';
import { storeOriginal } from './store-original.ts';

/** What was read from an imported file. */
export interface ImportedDocument {
  /** The title that the document itself contains, or null. */
  title: string | null;
  /** The day that the document itself tells, or null. */
  date: string | null;
  indexedAs: SourceFields;
  contentHash: Uint8Array;
  chunks: PreparedSource;
}

/**
 * Stages the document of an import as a source. The chunks are written before the transaction of `completeImport`, because
 * they are large.
 * @param report as in `stageSource`
 */
export function stageImport(
  { database, config }: Pick<Dependencies, 'database' | 'config'>,
  scope: TeamScope,
  layerId: LayerId,
  file: Pick<StartedImport, 'filename' | 'title' | 'tags' | 'occurredAt' | 'expiresAt'>,
  { title, date, indexedAs, contentHash, chunks }: ImportedDocument,
  report: StagingReport,
): Promise<StagedSource> {
  return stageSource(
    database,
    scope,
    {
      layerId,
      kind: 'import',
      title: file.title,
      uri: null,
      externalId: null,
      filename: file.filename,
      metadata: { filename: file.filename, ...(title === null ? {} : { [DOCUMENT_TITLE]: title }) },
      occurredAt: file.occurredAt ?? date,
      indexedAs,
      tags: file.tags,
      expiresAt: file.expiresAt,
      contentHash: Buffer.from(contentHash),
      model: config.embeddingModel,
      chunks: withEmbeddings(chunks),
    },
    report,
  );
}

/** The source of an import that is to be completed. */
export interface FinishedImport {
  staged: StagedSource;
  /** All that was found in the import. */
  redactions: readonly Redaction[];
  /** Whether the mode masks credentials and the file has one, though its text has none. */
  hasRawCredentials: boolean;
}

/**
 * Makes the source of an import visible, and completes the import and its job, in one transaction. Stores its file first,
 * as the original of the source. If it fails, the staged source is deleted.
 * @throws LostJobError if another worker runs the job now
 * @throws ServiceError `quota_exceeded`
 */
export async function completeImport(
  deps: Pick<Dependencies, 'blobs' | 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
  file: Pick<RunningImport, 'mediaType' | 'redaction'>,
  { staged, redactions, hasRawCredentials }: FinishedImport,
): Promise<void> {
  const deleteStaged = () => deleteStagedSource(deps.database, scope, staged);
  const original = await storeOriginal(deps, scope, job.data.importId, {
    ...file,
    redactions,
    hasRawCredentials,
  }).catch(async (error: unknown) => {
    await deleteStaged();
    throw error;
  });
  return runAndComplete(deps, scope, 'import.process', job, {
    apply: (tx) => apply(tx, deps, job.data, { staged, redactions, original }),
    quota: deps.config,
    deleteStaged,
  });
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Pick<Dependencies, 'config' | 'queue'>,
  { layerId, importId }: Payload<'import.process'>,
  { staged, redactions, original }: Omit<FinishedImport, 'hasRawCredentials'> & { original: Original | null },
): Promise<Applied<void>> {
  const { outcome, source, expired, similarSources } = await commitSource(tx, staged);
  // A source that the import repeats has its own original, unless it was imported before files were kept.
  if (original !== null && permitsChangeOf(tx.scope, source.createdBy))
    await attachOriginal(tx, source.id, original);
  const result = { sourceId: source.id, similarSources, redactions };
  if (!(await complete(tx, importId, result))) throw new Error('the import is no longer running');
  const duplicate = outcome === 'duplicate';
  return {
    result: undefined,
    audit: [
      ...expired,
      {
        kind: 'memory.import_complete',
        subjectType: 'import',
        subjectId: importId,
        clientId: clientOf(tx.scope, layerId),
        detail: { sourceId: source.id, duplicate, chunks: source.chunks },
      },
    ],
    ...(duplicate ? {} : { enqueue: () => enqueueIndexing(tx, queue, config, [layerId]) }),
  };
}
