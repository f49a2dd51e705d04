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
  const readable = replica.upTo(scope.lastChange);
  if (readable !== null) {
    try {
      const result = await run(readable);
      replica.counts.replica += 1;
      return result;
    } catch (error) {
      if (!replica.noteFailure(error)) throw error;
    }
  }
  const result = await run(database);
  replica.counts.primary += 1;
  return result;
}
