import type { Database, Queryable } from '../driver/database.ts';

/** Steps of start-up that processes must run one after another, with the key of the advisory lock of each. */
const LOCKS = {
  migrate: 7_203_114_001,
  bootstrap: 7_203_114_002,
  queue: 7_203_114_003,
} as const;

/**
 * Locks a step of start-up until the transaction ends. Waits for another process without a time limit: with the usual
 * time-outs, a start-up that only has to wait would fail.
 */
export async function lockStartupStep(
  database: Database,
  tx: Queryable,
  step: keyof typeof LOCKS,
): Promise<void> {
  const [usual] = await tx.query<{ lock: string }>(`select current_setting('lock_timeout') as lock`);
  // The process with the lock can need a long time, for example to build an index on a large table.
  await tx.query(`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`);
  // A script has no client time-out.
  await database.script(tx, `select pg_advisory_xact_lock(${LOCKS[step]})`);
  // Locks on tables keep the usual time-out, because all other statements would wait behind this one.
  await tx.query(`select set_config('lock_timeout', $1, true)`, [usual?.lock]);
}

/**
 * Locks out a step of start-up until the transaction ends: a process that reaches it waits. Several can do so at the same
 * time, also in a transaction that only reads.
 * @returns false if a process runs the step now
 */
export async function tryLockOutStartupStep(tx: Queryable, step: keyof typeof LOCKS): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock_shared(${LOCKS[step]}) as locked`,
  );
  return row?.locked === true;
}
