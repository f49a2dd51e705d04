import type { TeamTransaction } from '../../db/driver/database.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import { layerOf } from '../../shared/scope.ts';

/**
 * Enqueues a job for each of these imports, in the transaction that makes them queued. Companies take turns, and so do
 * the Teams of each. The job runs for the import's author: what it creates is theirs, even if someone else retried it.
 */
export async function enqueueImports(
  tx: TeamTransaction,
  queue: JobQueue,
  imports: readonly Pick<Import, 'id' | 'clientId' | 'createdBy' | 'createdWith'>[],
): Promise<void> {
  const { companyId, teamId } = tx.scope;
  await queue.enqueueInTurn(
    tx,
    'import.process',
    { companyId, teamId },
    imports.map(({ id, clientId, createdBy, createdWith }) => ({
      companyId,
      teamId,
      userId: createdBy,
      tokenId: createdWith?.tokenId ?? null,
      layerId: layerOf(tx.scope, clientId),
      importId: id,
    })),
  );
}
