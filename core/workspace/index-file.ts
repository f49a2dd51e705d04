import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { lockTeam } from '../../db/queries/identity/teams.ts';
import { DOCUMENT_TITLE } from '../../db/queries/memory/chunks.ts';
import { findSourceDays } from '../../db/queries/memory/source-library.ts';
import {
  type FileToIndex,
  findPendingVersion,
  lockPendingVersion,
  setIndexState,
} from '../../db/queries/workspace/file-index.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { clientOf, layerOf, type TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { fieldsOn, type SourceFields } from '../../shared/text/fields.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import { type Applied, runAndComplete } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { recheckNames } from '../redaction/rechecked-names.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';
import {
  commitSource,
  deleteStagedSource,
  type StagedSource,
  type StagingReport,
  stageSource,
  withEmbeddings,
} from '../sources/store-source.ts';
import { lastSegment } from './index-state.ts';

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;
type IndexJob = RunningJob<'file.index'>;

/** A file to index, and what its Team does about credentials now. The path is the one that its source gets. */
export interface IndexedFile extends FileToIndex {
  redaction: RedactionMode;
  /** What was found in the path. */
  redactions: Redaction[];
  /** Whether it must not be indexed, for a credential in its path. */
  isRefused: boolean;
}

/** What was read from a workspace file. */
interface FileDocument {
  /** The title that the document itself contains, or null. */
  title: string | null;
  /** The day that the document itself tells, or null. */
  date: string | null;
  indexedAs: SourceFields;
  contentHash: Uint8Array;
  chunks: PreparedSource;
}

/** What a version is indexed with now. Null: it cannot be indexed; upkeep enqueues it again when it can be. */
async function findRules(
  tx: TeamTransaction,
  { config }: Needed,
): Promise<{ redaction: RedactionMode } | null> {
  if (!config.indexFiles) return null;
  const locked = await lockTeam(tx, tx.scope.teamId, 'share');
  return locked?.team.state === 'active' ? { redaction: redactionMode(config, locked.settings) } : null;
}

/**
 * Finds the version that a job is to index. Null: there is nothing to do, because the version was superseded or must not be
 * indexed now. The job is then complete.
 * @throws LostJobError if another worker runs the job now
 */
export async function startIndexing(
  deps: Needed,
  scope: TeamScope,
  job: IndexJob,
): Promise<IndexedFile | null> {
  const { versionId } = job.data;
  const started = await transaction(deps.database, scope, async (tx) => {
    const rules = await findRules(tx, deps);
    const file = rules === null ? null : await findPendingVersion(tx, versionId);
    if (file !== null && rules !== null) return { ...file, ...rules };
    if (rules === null && (await lockPendingVersion(tx, versionId))) await setIndexState(tx, versionId, null);
    await deps.queue.complete(tx, 'file.index', job);
    return null;
  });
  if (started === null) return null;
  const { names, ...checked } = await recheckNames(started.redaction, { path: started.path });
  return { ...started, ...names, ...checked };
}

/** The fields that find the text of a file: of the source that it has, or else will have. */
export async function fieldsOfFile(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { fileId, path }: FileToIndex,
): Promise<SourceFields> {
  const days = await transaction(database, scope, (tx) => findSourceDays(tx, { fileId }));
  return fieldsOn(days?.creation ?? null, lastSegment(path), days?.tags);
}

/** Stages the text of a file as its source. The chunks of a large file are written before `completeIndexing`. */
export function stageFile(
  { database, config }: Needed,
  scope: TeamScope,
  { clientId, fileId, path }: FileToIndex,
  { title, date, indexedAs, contentHash, chunks }: FileDocument,
  report: StagingReport,
): Promise<StagedSource> {
  return stageSource(
    database,
    scope,
    {
      layerId: layerOf(scope, clientId),
      kind: 'file',
      title: lastSegment(path),
      uri: path,
      externalId: null,
      fileId,
      metadata: title === null ? {} : { [DOCUMENT_TITLE]: title },
      occurredAt: date,
      indexedAs,
      contentHash: Buffer.from(contentHash),
      model: config.embeddingModel,
      chunks: withEmbeddings(chunks),
    },
    report,
  );
}

/**
 * Replaces the text of the file's source, and completes the job, in one transaction. If the version was superseded or
 * deleted in the meantime, the staged source is deleted, and nothing else changes.
 * @throws LostJobError if another worker runs the job now
 * @throws ServiceError `quota_exceeded`
 */
export async function completeIndexing(
  deps: Needed,
  scope: TeamScope,
  job: IndexJob,
  staged: StagedSource,
): Promise<void> {
  const deleteStaged = () => deleteStagedSource(deps.database, scope, staged);
  const isStored = await runAndComplete(deps, scope, 'file.index', job, {
    apply: (tx) => apply(tx, deps, job, staged),
    quota: deps.config,
    deleteStaged,
  });
  if (!isStored) await deleteStaged();
}

async function apply(
  tx: TeamTransaction,
  deps: Needed,
  { data: { versionId, layerId } }: IndexJob,
  staged: StagedSource,
): Promise<Applied<boolean>> {
  const allowed = (await findRules(tx, deps)) !== null;
  // Locks the version, so that a push that replaces it waits, and then replaces or removes the source.
  const file = await lockPendingVersion(tx, versionId);
  if (file === null) return { result: false, audit: [] };
  await setIndexState(tx, versionId, allowed ? 'yes' : null);
  if (!allowed) return { result: false, audit: [] };
  const { outcome, source } = await commitSource(tx, staged);
  return {
    result: true,
    audit: [
      {
        kind: 'workspace.index',
        subjectType: 'file',
        subjectId: file.fileId,
        clientId: clientOf(tx.scope, layerId),
        detail: { sourceId: source.id, version: file.version, chunks: source.chunks },
      },
    ],
    ...(outcome === 'duplicate'
      ? {}
      : { enqueue: () => enqueueIndexing(tx, deps.queue, deps.config, [layerId]) }),
  };
}
