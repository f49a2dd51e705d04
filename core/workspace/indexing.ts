import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { DOCUMENT_TITLE } from '../../db/queries/sources/chunks.ts';
import { findSourceDays } from '../../db/queries/sources/lists.ts';
import { lockTeam } from '../../db/queries/teams.ts';
import type { NewVersion } from '../../db/queries/workspace/files.ts';
import {
  type FileSource,
  type FileToIndex,
  findPendingVersion,
  lockPendingVersion,
  resetIndexStates,
  setIndexState,
  unindexFileSources,
} from '../../db/queries/workspace/indexing.ts';
import type { JobQueue, RunningJob } from '../../db/queue/queue.ts';
import type { Config } from '../../shared/config.ts';
import { importMediaType } from '../../shared/formats/media-types.ts';
import { layerPrefix, parseWorkspacePath } from '../../shared/formats/workspace-path.ts';
import { MAX_NAME, type Redaction } from '../../shared/schemas/common.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import type { IndexState } from '../../shared/schemas/workspace.ts';
import { clientOf, layerOf, layerScope, type TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import { fieldsOn, type SourceFields } from '../../shared/text/prepared-chunks.ts';
import { type Applied, runAndComplete, runCommand } from '../access/run-command.ts';
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

type StateNeeded = Pick<Config, 'indexFiles'>;

/** The last segment of a path, by which people know the file. */
function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * The title of the source of a file: its last segment. Source code has its path within the layer, because many of its files
 * have the same name. A path that is too long for a title has its last segment too.
 * @param name the path within its layer
 */
export function fileTitle(name: string): string {
  const last = lastSegment(name);
  const isCode = importMediaType(last, undefined, false) === 'text/x-source-code';
  return isCode && name.length <= MAX_NAME ? name : last;
}

/** The title of the source of a file, by its whole path. */
function titleOfPath(path: string): string {
  const parsed = parseWorkspacePath(path);
  return typeof parsed === 'string' ? lastSegment(path) : fileTitle(parsed.name);
}

/** Whether the text of a file can be read. */
function isReadable(path: string, bytes: number): boolean {
  return bytes > 0 && importMediaType(lastSegment(path), undefined, false) !== null;
}

/** The state of a version that is pushed now. Null: upkeep decides after the service has been told to index files. */
export function newIndexState(
  { indexFiles }: StateNeeded,
  { path, sha256, bytes }: Pick<NewVersion, 'path' | 'sha256' | 'bytes'>,
): IndexState | null {
  if (!indexFiles || sha256 === null) return null;
  return isReadable(path, bytes) ? 'pending' : 'no';
}

/** The state of a version as the manifest shows it. */
export function shownIndexState(
  { indexFiles }: StateNeeded,
  {
    path,
    bytes,
    deleted,
    indexed,
  }: { path: string; bytes: number; deleted: boolean; indexed: IndexState | null },
): IndexState {
  if (deleted) return 'no';
  // Upkeep removes the sources within a minute after the setting has changed. Until then, searches find them.
  if (!indexFiles) return indexed === 'yes' ? 'yes' : 'no';
  return indexed ?? (isReadable(path, bytes) ? 'pending' : 'no');
}

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
  /** What could not be read of the file. */
  unread: readonly Unread[];
  /** The encoding of its text; null for UTF-8 and for formats that say it themselves. */
  encoding: string | null;
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
  return fieldsOn(days?.creation ?? null, titleOfPath(path), days?.tags);
}

/** Stages the text of a file as its source. The chunks of a large file are written before `completeIndexing`. */
export function stageFile(
  { database, config }: Needed,
  scope: TeamScope,
  { clientId, fileId, path }: FileToIndex,
  { title, date, indexedAs, contentHash, chunks, unread, encoding }: FileDocument,
  report: StagingReport,
): Promise<StagedSource> {
  return stageSource(
    database,
    scope,
    {
      layerId: layerOf(scope, clientId),
      kind: 'file',
      title: titleOfPath(path),
      uri: path,
      externalId: null,
      fileId,
      metadata: title === null ? {} : { [DOCUMENT_TITLE]: title },
      occurredAt: date,
      indexedAs,
      contentHash: Buffer.from(contentHash),
      unread,
      encoding,
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

/** Enqueues a job for each version that waits to be indexed, in the transaction that writes it. */
export async function enqueueFiles(
  tx: TeamTransaction,
  queue: JobQueue,
  versions: readonly Pick<NewVersion, 'id' | 'clientId' | 'indexed'>[],
): Promise<void> {
  const pending = versions.filter(({ indexed }) => indexed === 'pending');
  if (pending.length === 0) return;
  const { companyId, teamId, userId, tokenId } = tx.scope;
  await queue.enqueueInTurn(
    tx,
    'file.index',
    { companyId, teamId },
    pending.map(({ id, clientId }) => ({
      companyId,
      teamId,
      userId,
      tokenId,
      layerId: layerOf(tx.scope, clientId),
      versionId: id,
    })),
  );
}

/** Unindexes files, and returns the audit events. Lock the versions of the files before. */
export async function unindexFiles(tx: TeamTransaction, fileIds: readonly string[]): Promise<AuditEntry[]> {
  if (fileIds.length === 0) return [];
  const unindexed = await unindexFileSources(tx, fileIds);
  return unindexed.map(({ id, fileId, layerId, chunks }) => ({
    kind: 'workspace.unindex',
    subjectType: 'file',
    subjectId: fileId,
    clientId: clientOf(tx.scope, layerId),
    detail: { sourceId: id, chunks },
  }));
}

/** Enqueues the jobs that follow when files were unindexed. Must be called last, as `enqueueIndexing`. */
export async function enqueueAfterUnindexing(
  tx: TeamTransaction,
  queue: JobQueue,
  config: Pick<Config, 'serverEmbeddings'>,
): Promise<void> {
  await enqueueIndexing(tx, queue, config, []);
  // Deletes the chunks now: until then, every search of the Team skips them.
  await queue.enqueue(tx, 'upkeep.prune', {});
}

/**
 * Records that a version cannot be read, and completes the job that found this. The source with the text of an earlier
 * version is removed. A version that was superseded stays as it is.
 * @param name the queue of the job: the one that reads files, or the one for jobs that used all their attempts
 * @param code stable, in snake_case
 * @throws LostJobError if another worker runs the job now
 */
export function failIndexing<Q extends 'file.index' | 'file.dead'>(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  code: string,
): Promise<void> {
  const { versionId, layerId } = job.data;
  return runAndComplete(deps, scope, name, job, {
    apply: async (tx) => {
      const file = await lockPendingVersion(tx, versionId);
      if (file === null) return { result: undefined, audit: [] };
      await setIndexState(tx, versionId, 'failed');
      const removed = await unindexFiles(tx, [file.fileId]);
      const { version, fileId } = file;
      return {
        result: undefined,
        audit: [
          {
            kind: 'workspace.index_fail',
            subjectType: 'file',
            subjectId: fileId,
            clientId: clientOf(tx.scope, layerId),
            detail: { code, version },
          },
          ...removed,
        ],
        ...(removed.length === 0
          ? {}
          : { enqueue: () => enqueueAfterUnindexing(tx, deps.queue, deps.config) }),
      };
    },
  });
}

/**
 * Unindexes files of one layer, because the service no longer indexes files. Upkeep decides on the files again
 * when it does.
 * @param files all of one layer
 */
export async function unindexLayer(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  layer: Pick<FileSource, 'companyId' | 'teamId' | 'layerId'>,
  files: readonly Pick<FileSource, 'fileId' | 'uri'>[],
): Promise<void> {
  const { layerId } = layer;
  const prefix = `${layerPrefix(clientOf(layer, layerId))}/`;
  await runCommand(database, layerScope(layer), {
    // The versions before the sources, as a push locks them.
    lock: (tx) =>
      resetIndexStates(
        tx,
        layerId,
        files.map(({ uri }) => uri.slice(prefix.length)),
      ),
    apply: async (tx) => ({
      result: undefined,
      audit: await unindexFiles(
        tx,
        files.map(({ fileId }) => fileId),
      ),
      enqueue: () => enqueueAfterUnindexing(tx, queue, config),
    }),
  });
}
