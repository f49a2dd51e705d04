import { transaction } from '../../db/driver/database.ts';
import { lockTeam } from '../../db/queries/identity/teams.ts';
import { type StartedImport, startImport as start } from '../../db/queries/memory/imports.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import { normalizeTag } from '../../shared/formats/tags.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import type { Dependencies } from '../dependencies.ts';
import { recheckNames } from '../redaction/rechecked-names.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';

/** An import that runs, and what its Team does about credentials now. Its names are those that its source gets. */
export interface RunningImport extends StartedImport {
  redaction: RedactionMode;
  /** Whether it must fail for a credential in its names. */
  isRefused: boolean;
}

/**
 * Marks an import as running, for this attempt of its job.
 * @returns null if there is nothing to do, because the import has ended or was cancelled. The job is then complete
 * @throws LostJobError if another worker runs the job now
 */
export async function startImport(
  { config, database, queue }: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  job: RunningJob<'import.process'>,
): Promise<RunningImport | null> {
  const started = await transaction(database, scope, async (tx) => {
    // A worker that was frozen after it dequeued the job must not change the state of a later run.
    await queue.assertRunning(tx, 'import.process', job);
    const team = await lockTeam(tx, scope.teamId, 'share');
    const file = await start(tx, job.data.importId);
    if (file === null) {
      await queue.complete(tx, 'import.process', job);
      return null;
    }
    return { ...file, redaction: redactionMode(config, team?.settings ?? { redaction: null }) };
  });
  return started === null ? null : withCheckedNames(started);
}

async function withCheckedNames(
  started: StartedImport & { redaction: RedactionMode },
): Promise<RunningImport> {
  const { filename, title, tags, redaction } = started;
  // A title that was not given is the filename.
  const given = { filename, ...(title !== filename && { title }), tags };
  const { names, ...checked } = await recheckNames(redaction, given, started.redactions);
  return {
    ...started,
    title: names.filename,
    ...names,
    tags: [...new Set(names.tags.map(normalizeTag))],
    ...checked,
  };
}
