import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, TeamTransaction } from '../../db/driver/database.ts';

/** Sends a request in the middle of a transaction, and returns when it waits for the transaction or has been answered. */
export async function sendAndWait<T>(
  { database }: { database: Database },
  tx: TeamTransaction,
  send: () => PromiseLike<T>,
): Promise<{ sent: Promise<T> }> {
  const [self] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  let isDone = false;
  const sent = Promise.resolve(send()).finally(() => {
    isDone = true;
  });
  const waits = () =>
    database.query('select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))', [self?.pid]);
  while (!isDone && (await waits()).length === 0) await nextTurn();
  return { sent };
}
