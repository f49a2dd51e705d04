import type { TeamTransaction } from '../../db/driver/database.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import type { LayerId } from '../../shared/scope.ts';

/** The key of the job that embeds the backlog of a layer: at most one of them is queued. */
export function layerKey(teamId: string, clientId: LayerId): string {
  return `${teamId}/${clientId ?? ''}`;
}

/**
 * Enqueues the jobs that follow a change to the text of a Team, in the transaction of the change. They count the terms of
 * the Team again and, if the service makes vectors, embed the new chunks. Must be called last, and always enqueues in the
 * same order, because another transaction that enqueues the same jobs waits until this one ends.
 * @param layers in which chunks without a vector were written
 * @param titleChanged whether a source has another title, so that its terms must be made again
 */
export async function enqueueIndexing(
  tx: TeamTransaction,
  queue: Pick<JobQueue, 'enqueue'>,
  { serverEmbeddings }: { serverEmbeddings: boolean },
  layers: readonly LayerId[],
  titleChanged = false,
): Promise<void> {
  const { companyId, teamId, userId } = tx.scope;
  await queue.enqueue(tx, 'keywords.count', { companyId, teamId, userId }, { key: teamId });
  if (titleChanged) await queue.enqueue(tx, 'terms.renew', { companyId, teamId, userId }, { key: teamId });
  if (!serverEmbeddings) return;
  const keys = new Map(layers.map((clientId) => [layerKey(teamId, clientId), clientId]));
  for (const [key, clientId] of [...keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // New chunks have a job of their own, which does not wait behind the layers with a backlog.
    const before = { key: `${key}/new`, priority: 1 };
    await queue.enqueue(tx, 'embed.chunks', { companyId, teamId, clientId }, before);
  }
}
