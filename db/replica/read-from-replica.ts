import type { Scope } from '../../shared/scope.ts';
import type { Database } from '../driver/database.ts';

/** A read needs more than the replica has, so the primary is read. */
export class BehindError extends Error {
  override name = 'BehindError';
}

/**
 * Reads from the replica if there is one that has all that the caller has changed, or else from the primary. What is not
 * found on the replica is looked for on the primary, because it can be newer than the replica.
 * @param run only reads. It is run again, on the primary, if the replica fails
 */
export async function readFromReplica<S extends Scope, T>(
  database: Database,
  scope: S,
  run: (from: Database) => Promise<T>,
): Promise<T> {
  const { replica } = database;
  if (replica === undefined) return run(database);
  const copy = replica.from(scope.lastChange);
  if (copy !== null) {
    try {
      const result = await run(copy);
      replica.counts.replica += 1;
      return result;
    } catch (error) {
      if (!replica.isLost(error)) throw error;
    }
  }
  replica.counts.primary += 1;
  return run(database);
}
