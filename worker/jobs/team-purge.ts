import { transaction, workerTransaction } from '../../db/driver/database.ts';
import { purgeTeam } from '../../db/queries/memory/upkeep.ts';
import { upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/** Rows removed by one statement: an import takes its file with it, and a hundred large ones are 2 GB. */
const SLICE = 100;

/** Removes all that a deleted Team held. No one has seen any of it since the deletion; its audit events stay. */
export const purgeDeletedTeam: JobHandler<'team.purge'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  while (!(await workerTransaction(database, scope, (tx) => purgeTeam(tx, SLICE))));
  await transaction(database, scope, (tx) => queue.settle(tx, 'team.purge', job));
};
