import type { Database } from '../driver/database.ts';
import { lockStartupStep } from '../startup/lock.ts';

/**
 * Lets jobs that run, and those that failed for good, be counted without going through all that are done: pg-boss
 * itself has an index for those that wait alone.
 */
export async function indexUnfinishedJobs(database: Database, schema: string): Promise<void> {
  await database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'queue');
    // Asked first: even where the index is there, making it would wait for all who are writing jobs.
    const [found] = await tx.query('select from pg_class where oid = to_regclass($1)', [
      `${schema}.job_unfinished`,
    ]);
    if (found !== undefined) return;
    // As a script, which the client does not time out: the table may be large.
    await database.script(
      tx,
      `create index job_unfinished on ${schema}.job (name, state) where state in ('active', 'failed')`,
    );
  });
}
