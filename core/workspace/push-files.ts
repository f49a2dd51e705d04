import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import {
  allocateRevision,
  findCurrentVersions,
  insertVersions,
  type NewVersion,
} from '../../db/queries/workspace/files.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { PushResponse } from '../../shared/schemas/workspace.ts';
import { layerOf, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import type { Applied } from '../access/run-command.ts';
import type { OnceCommand } from '../access/run-once.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';
import { type CheckedPush, checkPushedFiles } from './check-pushed-files.ts';
import { enqueueAfterUnindexing, enqueueFiles, unindexFiles } from './file-jobs.ts';
import { newIndexState } from './index-state.ts';
import type { Pushed } from './parse-pushed-files.ts';
import { findConflicts } from './push-conflicts.ts';

function clientsOf(pushed: readonly Pushed[]): (string | null)[] {
  return [...new Set(pushed.map(({ clientId }) => clientId))];
}

/**
 * Refuses a push to a layer that the caller cannot write to.
 * @throws ServiceError `scope_forbidden`
 */
export function assertPushAllowed(scope: TeamScope, pushed: readonly Pushed[]): void {
  for (const clientId of clientsOf(pushed)) writeLayer(scope, clientId === null ? {} : { clientId });
}

/**
 * Writes and deletes files, all or none. The contents are stored before the transaction; if it fails, upkeep deletes
 * those that no version refers to.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`, `workspace_conflict`,
 *   `secret_detected`, `quota_exceeded`
 */
export function pushFiles(
  deps: Pick<Dependencies, 'blobs' | 'config' | 'queue'>,
  scope: TeamScope,
  pushed: readonly Pushed[],
): OnceCommand<number, PushResponse, CheckedPush> {
  return {
    prepare: async () => {
      const checked = await checkPushedFiles(redactionMode(deps.config, scope), pushed);
      const blobs = pushed.flatMap(({ blob }) => blob ?? []);
      if (!checked.isRefused) await deps.blobs.store(scope, blobs);
      return checked;
    },
    lock: async (tx) => {
      await requireLayerWrite(tx, ...clientsOf(pushed).map((clientId) => layerOf(scope, clientId)));
      // Locks the workspace of the Team too: current versions stay current until the transaction ends.
      return allocateRevision(tx);
    },
    quota: deps.config,
    apply: (tx, revision, checked) => apply(tx, deps, revision, pushed, checked),
    answer: (body) => ({ status: 200, body }),
  };
}

async function apply(
  tx: TeamTransaction,
  { config, queue }: Pick<Dependencies, 'config' | 'queue'>,
  revision: number,
  pushed: readonly Pushed[],
  { redactions, maskedPaths, assertAllowed }: CheckedPush,
): Promise<Applied<PushResponse>> {
  const current = await findCurrentVersions(tx, pushed);
  const conflicts = await findConflicts(tx, pushed, current);
  if (conflicts.length > 0) {
    throw new ServiceError('workspace_conflict', `${conflicts.length} of ${pushed.length} files conflict`, {
      extra: { conflicts },
    });
  }
  assertAllowed();
  const versions = pushed.map(({ blob, ...place }): NewVersion => {
    const before = current.get(place.path);
    const version = {
      ...place,
      id: newId(),
      before: before?.id ?? null,
      fileId: before?.fileId ?? newId(),
      version: (before?.version ?? 0) + 1,
      sha256: blob?.sha256 ?? null,
      bytes: blob?.content.length ?? 0,
    };
    return { ...version, indexed: newIndexState(config, version) };
  });
  await insertVersions(tx, revision, versions);
  // The source of a file that is still to be indexed keeps its text until then.
  const unindexed = versions.filter(({ before, indexed }) => before !== null && indexed !== 'pending');
  const removed = await unindexFiles(
    tx,
    unindexed.map(({ fileId }) => fileId),
  );
  return {
    result: { revision, files: versions.map(({ path, version }) => ({ path, version })), redactions },
    audit: [...versions.map((version) => versionEvent(version, maskedPaths)), ...removed],
    enqueue: async () => {
      await enqueueFiles(tx, queue, versions);
      if (removed.length > 0) await enqueueAfterUnindexing(tx, queue, config);
    },
  };
}

/** The subject is the file, so that the history of a file can be read by its id. */
function versionEvent(
  { sha256, fileId, clientId, path, version, bytes }: NewVersion,
  maskedPaths: CheckedPush['maskedPaths'],
): AuditEntry {
  return {
    kind: sha256 === null ? 'workspace.delete' : 'workspace.write',
    subjectType: 'file',
    subjectId: fileId,
    clientId,
    detail: { path: maskedPaths.get(path) ?? path, version, ...(sha256 === null ? {} : { bytes }) },
  };
}
