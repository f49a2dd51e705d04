import { asWorker } from '../../db/driver/database.ts';
import { outdatedTeams } from '../../db/queries/search/stored-terms.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/**
 * Enqueues a job for each Team in which terms are outdated. A change of the title of a large source enqueues the job itself;
 * this one finds what a new version of the service left, and what a job that failed did not finish.
 */
export const queueOutdatedTeams: JobHandler<'terms.outdated'> = async (job, { database, queue }) => {
  for (const team of await asWorker(database, outdatedTeams)) {
    // In separate transactions, so that one that waits for a lock does not delay the others.
    await asWorker(database, (tx) =>
      queue.enqueue(tx, 'terms.renew', { ...team, userId: NOBODY }, { key: team.teamId }),
    );
  }
  await asWorker(database, (tx) => queue.complete(tx, 'terms.outdated', job));
};
