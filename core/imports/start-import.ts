import { transaction } from '../../db/driver/database.ts';
import { type StartedImport, startImport as start } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Marks an import as running, for this attempt of its job.
 * @returns null if there is nothing to do, because the import has ended or was cancelled. The job is then complete
 * @throws LostJobError if another worker runs the job now
 */
export function startImport(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
): Promise<StartedImport | null> {
  return transaction(database, scope, async (tx) => {
    // A worker that was frozen after it dequeued the job must not change the state of a later run.
    await queue.assertRunning(tx, 'import.process', job);
    const file = await start(tx, job.data.importId);
    if (file === null) await queue.settle(tx, 'import.process', job);
    return file;
  });
}
