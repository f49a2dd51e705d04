import type { Database, Queryable } from '../driver/database.ts';

/** What processes that start at once must do one after the other, each with a lock of its own. */
const LOCKS = { migrate: 7_203_114_001, bootstrap: 7_203_114_002, queue: 7_203_114_003 } as const;

/**
 * Holds a step of start-up for this process until the transaction ends. Waits as long as the process before
 * takes: the usual time-outs would end a start-up that only had to wait.
 */
export async function lockStartupStep(
  database: Database,
  tx: Queryable,
  step: keyof typeof LOCKS,
): Promise<void> {
  // The process that has the lock can take long as well, for example to build an index of a large table.
  await tx.query(`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`);
  // As a script, which the client does not time out either.
  await database.script(tx, `select pg_advisory_xact_lock(${LOCKS[step]})`);
  // Tables are waited for no longer than usual: everyone else would queue behind.
  await tx.query('set local lock_timeout to default');
}
