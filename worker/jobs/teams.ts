import { transaction, workerTransaction } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import { upkeepScope } from '../../shared/scope.ts';
import type { JobHandler } from '../context.ts';

/** Rows deleted by one statement. Deleting an import also deletes its file, and a hundred large files are 2 GB. */
const MAX_ROWS_PER_SLICE = 100;

/** Deletes the data of a deleted Team. It has been invisible since the deletion. Its audit events are kept. */
export const purgeDeletedTeam: JobHandler<'team.purge'> = async (job, { database, queue }) => {
  const scope = upkeepScope(job.data);
  while (
    !(await workerTransaction(database, scope, (tx) => call(tx, 'identity.purge_team', MAX_ROWS_PER_SLICE)))
  );
  await transaction(database, scope, (tx) => queue.complete(tx, 'team.purge', job));
};
