import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import { unindexFileSources } from '../../db/queries/workspace/file-index.ts';
import type { NewVersion } from '../../db/queries/workspace/files.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import type { Config } from '../../shared/config.ts';
import { clientOf, layerOf } from '../../shared/scope.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';

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
