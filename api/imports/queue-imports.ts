import type { TeamTransaction } from '../../db/database.ts';
import type { JobQueue } from '../../db/queue.ts';
import type { Import } from '../../shared/schemas/imports.ts';

/** Gives each of these imports a job, in the transaction that makes them queued. Teams take turns. */
export async function queueImports(
  tx: TeamTransaction,
  queue: JobQueue,
  imports: readonly Pick<Import, 'id' | 'clientId'>[],
): Promise<void> {
  const { companyId, teamId, userId } = tx.scope;
  await queue.sendInTurn(
    tx,
    'import.process',
    teamId,
    imports.map(({ id, clientId }) => ({ companyId, teamId, userId, clientId, importId: id })),
  );
}
