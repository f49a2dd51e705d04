import { transaction } from '../../db/driver/database.ts';
import { type StartedImport, undoImportStart as undoStart } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

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
