import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import {
  completeImport as complete,
  failImport as fail,
  type StartedImport,
  startImport as start,
  undoImportStart as undoStart,
} from '../../db/queries/imports.ts';
import { DOCUMENT_TITLE } from '../../db/queries/sources/chunks.ts';
import { attachOriginal } from '../../db/queries/sources/lists.ts';
import { lockTeam } from '../../db/queries/teams.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import { normalizeTag } from '../../shared/formats/names.ts';
import type { Payload } from '../../shared/queues.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Original } from '../../shared/schemas/sources.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import { clientOf, type LayerId, permitsChangeOf, type TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import type { SourceFields } from '../../shared/text/prepared-chunks.ts';
import { type Applied, runAndComplete } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { recheckNames, redactionMode } from '../redaction/redact.ts';
import { enqueueIndexing } from '../sources/indexing.ts';
import {
  commitSource,
  deleteStagedSource,
  type StagedSource,
  type StagingReport,
  stageSource,
  withEmbeddings,
} from '../sources/store.ts';
import { storeOriginal } from './commands.ts';

/** An import that runs, and what its Team does about credentials now. Its names are those that its source gets. */
export interface RunningImport extends StartedImport {
  redaction: RedactionMode;
  /** Whether it must fail for a credential in its names. */
  isRefused: boolean;
}

/**
 * Marks an import as running, for this attempt of its job.
 * @returns null if there is nothing to do, because the import has ended or was cancelled. The job is then complete
 * @throws LostJobError if another worker runs the job now
 */
export async function startImport(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
): Promise<RunningImport | null> {
  const started = await transaction(database, scope, async (tx) => {
    // A worker that was frozen after it dequeued the job must not change the state of a later run.
    await queue.assertRunning(tx, 'import.process', job);
    const team = await lockTeam(tx, scope.teamId, 'share');
    const file = await start(tx, job.data.importId);
    if (file === null) {
      await queue.complete(tx, 'import.process', job);
      return null;
    }
    return { ...file, redaction: redactionMode(config, team?.settings ?? { redaction: null }) };
  });
  return started === null ? null : withCheckedNames(started);
}

async function withCheckedNames(
  started: StartedImport & { redaction: RedactionMode },
): Promise<RunningImport> {
  const { filename, title, tags, redaction } = started;
  // A title that was not given is the filename.
  const given = { filename, ...(title !== filename && { title }), tags };
  const { names, ...checked } = await recheckNames(redaction, given, started.redactions);
  return {
    ...started,
    title: names.filename,
    ...names,
    tags: [...new Set(names.tags.map(normalizeTag))],
    ...checked,
  };
}

/** What was read from an imported file. */
export interface ImportedDocument {
  /** The title that the document itself contains, or null. */
  title: string | null;
  /** The day that the document itself tells, or null. */
  date: string | null;
  indexedAs: SourceFields;
  contentHash: Uint8Array;
  chunks: PreparedSource;
  /** What could not be read of the file. */
  unread: readonly Unread[];
  /** The encoding of its text; null for UTF-8 and for formats that say it themselves. */
  encoding: string | null;
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
  { title, date, indexedAs, contentHash, chunks, unread, encoding }: ImportedDocument,
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
      unread,
      encoding,
      model: config.embeddingModel,
      chunks: withEmbeddings(chunks),
    },
    report,
  );
}

/** The source of an import that is to be completed. */
export interface FinishedImport {
  staged: StagedSource;
  /** What could not be read of its file. */
  unread: readonly Unread[];
  /** The encoding of the text of its file. */
  encoding: string | null;
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
  { staged, hasRawCredentials, ...result }: FinishedImport,
): Promise<void> {
  const deleteStaged = () => deleteStagedSource(deps.database, scope, staged);
  const original = await storeOriginal(deps, scope, job.data.importId, {
    ...file,
    redactions: result.redactions,
    hasRawCredentials,
  }).catch(async (error: unknown) => {
    await deleteStaged();
    throw error;
  });
  return runAndComplete(deps, scope, 'import.process', job, {
    apply: (tx) => apply(tx, deps, job.data, { staged, original, ...result }),
    quota: deps.config,
    deleteStaged,
  });
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Pick<Dependencies, 'config' | 'queue'>,
  { layerId, importId }: Payload<'import.process'>,
  { staged, original, ...read }: Omit<FinishedImport, 'hasRawCredentials'> & { original: Original | null },
): Promise<Applied<void>> {
  const { outcome, source, expired, similarSources } = await commitSource(tx, staged);
  // A source that the import repeats has its own original, unless it was imported before files were kept.
  if (original !== null && permitsChangeOf(tx.scope, source.createdBy))
    await attachOriginal(tx, source.id, original);
  const result = { sourceId: source.id, similarSources, ...read };
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

/**
 * Fails an import that is queued or running, and completes the job that found the fault. An import that has ended stays as
 * it is.
 * @param name the queue of the job: the one that reads files, or the one for jobs that used all their attempts
 * @param error with `redactions` if the file has credentials that are not to be stored: it is deleted
 * @throws LostJobError if another worker runs the job now
 */
export function failImport<Q extends 'import.process' | 'import.dead'>(
  deps: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  { code, message, redactions }: { code: string; message: string; redactions?: readonly Redaction[] },
): Promise<void> {
  const { importId, layerId } = job.data;
  return runAndComplete(deps, scope, name, job, {
    apply: async (tx) => {
      if (!(await fail(tx, importId, { code, message, ...(redactions !== undefined && { redactions }) })))
        return { result: undefined, audit: [] };
      return {
        result: undefined,
        audit: [
          {
            kind: 'memory.import_fail',
            subjectType: 'import',
            subjectId: importId,
            clientId: clientOf(tx.scope, layerId),
            detail: { code },
          },
        ],
      };
    },
  });
}

type Run = Pick<StartedImport, 'attempts'>;

/**
 * Returns a running import to `queued`, and releases its job in the same transaction, so that another worker can run it
 * at once. The run does not count as an attempt.
 * @param toLongJobs whether the job moves to the long jobs, to let other Companies go first
 * @throws LostJobError if another worker runs the job now
 */
export function releaseImport(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
  { attempts }: Run,
  { toLongJobs }: { toLongJobs: boolean },
): Promise<void> {
  return transaction(database, scope, async (tx) => {
    await undoStart(tx, job.data.importId, attempts, { isCounted: false });
    if (toLongJobs) await queue.releaseAsLong(tx, 'import.process', job);
    else await queue.release(tx, 'import.process', job);
  });
}

/** Returns the import of a failed run to `queued`. The queue retries its job. */
export function undoImportStart(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  importId: string,
  { attempts }: Run,
): Promise<void> {
  return transaction(database, scope, (tx) => undoStart(tx, importId, attempts, { isCounted: true }));
}
