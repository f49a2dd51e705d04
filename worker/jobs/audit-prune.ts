import { asWorker } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import type { JobHandler } from '../context.ts';

/** Rows deleted by one statement. */
const MAX_ROWS_PER_SLICE = 1000;

/**
 * Deletes what searches asked and found after the days that the settings allow. The audit events of the searches are kept,
 * and the chain verifies without what was deleted.
 */
export const pruneAuditedSearches: JobHandler<'audit.prune'> = async (job, { config, database, queue }) => {
  const { auditSearchDays: days } = config;
  if (days !== null) {
    while (
      (await asWorker(database, (tx) => call(tx, 'memory.prune_searches', days, MAX_ROWS_PER_SLICE))) > 0
    );
  }
  await asWorker(database, (tx) => queue.complete(tx, 'audit.prune', job));
};
