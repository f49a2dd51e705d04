import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import { findWriteObstacle } from '../queries/jobs/service-state.ts';

const READ_ONLY = 'set transaction read only';
/** How long a transaction can take before it could be one that waits for a replica, in milliseconds. */
const LOOK_AFTER_MS = 1000;

export interface RefusalOptions {
  database: Database;
  /** The same database by a connection of its own, because those of `database` can all wait. Closed with the result. */
  watched: Database;
  logger: Logger;
  /** Milliseconds. */
  lookAfterMs?: number;
}

/**
 * Refuses changes at once while no synchronous replica confirms them. PostgreSQL lets each of them wait, without a limit,
 * in a process of the server that goes on after its client has given up: soon there are no connections, and reads fail
 * too. The state is looked up only while a transaction takes long, and then until changes are confirmed again.
 */
export function refuseUnconfirmedChanges({
  database,
  watched,
  logger,
  lookAfterMs = LOOK_AFTER_MS,
}: RefusalOptions): Database {
  let isRefusing = false;
  let isLooking = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const look = async () => {
    if (isLooking || isClosed) return;
    isLooking = true;
    // A database that does not answer is reported by the requests that need it.
    const obstacle = await findWriteObstacle(watched).catch(() => null);
    isLooking = false;
    const wasRefusing = isRefusing;
    isRefusing = obstacle === 'no_synchronous_replica';
    // Transactions that wait look too: each lookup replaces the next one, so that there is one at a time.
    clearTimeout(timer);
    if (isRefusing && !isClosed) timer = setTimeout(look, lookAfterMs).unref();
    if (isRefusing === wasRefusing) return;
    if (isRefusing) logger.error('no synchronous replica confirms changes, so they are refused');
    else logger.warn('changes are accepted again');
  };
  /** Looks again and again while `run` goes on. */
  const observe = async <T>(run: () => Promise<T>): Promise<T> => {
    const looking = setInterval(look, lookAfterMs).unref();
    try {
      return await run();
    } finally {
      clearInterval(looking);
    }
  };
  const transaction: Database['transaction'] = (fn, opening) => {
    if (!isRefusing) return observe(() => database.transaction(fn, opening));
    const text = opening === undefined ? READ_ONLY : `${READ_ONLY}; ${opening.text}`;
    return database.transaction(fn, { ...opening, text });
  };
  return {
    ...database,
    transaction,
    query: (text, values) =>
      isRefusing ? transaction((tx) => tx.query(text, values)) : observe(() => database.query(text, values)),
    canWrite: () => !isRefusing && database.canWrite(),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([watched.close(), database.close()]);
    },
  };
}
