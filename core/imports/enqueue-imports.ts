import type { TeamTransaction } from '../../db/driver/database.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import type { Import } from '../../shared/schemas/imports.ts';

/**
 * Gives each of these imports a job, in the transaction that makes them queued. Companies take turns, and the Teams of
 * each. The job works for the import's author: what it makes is theirs, whoever had it tried again.
 */
export async function enqueueImports(
  tx: TeamTransaction,
  queue: JobQueue,
  imports: readonly Pick<Import, 'id' | 'clientId' | 'createdBy'>[],
): Promise<void> {
  const { companyId, teamId } = tx.scope;
  await queue.sendInTurn(
    tx,
    'import.process',
    { companyId, teamId },
    imports.map(({ id, clientId, createdBy }) => ({
      companyId,
      teamId,
      userId: createdBy,
      clientId,
      importId: id,
    })),
  );
}
