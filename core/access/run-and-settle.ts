import type { TeamTransaction } from '../../db/driver/database.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import type { QueueName } from '../../shared/queues.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { DefaultQuota } from '../../shared/settings/team-settings.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Applied, runCommandWithin } from './run-command.ts';

/** A change that a job makes. Its audit events name the user of the job's scope. */
export interface JobCommand<R> {
  /** Makes the change. Nothing is locked before it, so it must check the state of each row that it changes. */
  apply: (tx: TeamTransaction) => Promise<Applied<R>>;
  /** As in `Command`. */
  quota?: DefaultQuota;
  /** Deletes what was prepared for the change. Called when it has failed. */
  deleteStaged?: () => Promise<void>;
}

/**
 * Runs a command as `runCommand` does, and completes its job in the same transaction, as the last step. No rights are
 * rechecked: they were checked in the transaction that enqueued the job.
 * @throws LostJobError if another worker runs the job now. Nothing is changed
 */
export async function runAndComplete<Q extends QueueName, R>(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  { apply, deleteStaged, quota }: JobCommand<R>,
): Promise<R> {
  const command = { lock: async () => {}, apply, ...(quota === undefined ? {} : { quota }) };
  try {
    return await runCommandWithin(database, scope, command, async (tx, run) => {
      const result = await run();
      await queue.complete(tx, name, job);
      return result;
    });
  } catch (error) {
    await deleteStaged?.();
    throw error;
  }
}
