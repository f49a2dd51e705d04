import type { Scope } from '../../shared/scope.ts';
import type { Database } from '../driver/database.ts';

/**
 * Reads from the replica if there is one that has all that the caller has changed, or else from the primary. What is not
 * found on the replica is looked for on the primary, because it can be newer than the replica.
 * @param run only reads. It is run again, on the primary, if the replica fails or does not answer in time
 */
export async function readFromReplica<S extends Scope, T>(
  database: Database,
  scope: S,
  run: (from: Database) => Promise<T>,
): Promise<T> {
  const { replica } = database;
  if (replica === undefined) return run(database);
  const attempt = await replica.read(scope.lastChange, run);
  if ('result' in attempt) return attempt.result;
  const result = await run(database);
  replica.counts.primary[attempt.unread] += 1;
  return result;
}
