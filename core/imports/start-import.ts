import { transaction } from '../../db/driver/database.ts';
import { lockTeamState } from '../../db/queries/identity/teams.ts';
import { type StartedImport, startImport as start } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';

/** An import that runs, and what its Team does about credentials now. */
export type RunningImport = StartedImport & { redaction: RedactionMode };

/**
 * Marks an import as running, for this attempt of its job.
 * @returns null if there is nothing to do, because the import has ended or was cancelled. The job is then complete
 * @throws LostJobError if another worker runs the job now
 */
export function startImport(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
): Promise<RunningImport | null> {
  return transaction(database, scope, async (tx) => {
    // A worker that was frozen after it dequeued the job must not change the state of a later run.
    await queue.assertRunning(tx, 'import.process', job);
    const file = await start(tx, job.data.importId);
    if (file === null) {
      await queue.settle(tx, 'import.process', job);
      return null;
    }
    const team = await lockTeamState(tx, scope.teamId);
    return { ...file, redaction: redactionMode(config, team ?? { redaction: null }) };
  });
}
