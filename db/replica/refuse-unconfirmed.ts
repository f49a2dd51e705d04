import type { Logger } from '../../shared/logger.ts';
import { type Database, inOneRoundTrip } from '../driver/database.ts';
import { findWriteObstacle } from '../queries/status.ts';

/** If the server refuses `begin`, it refuses the statement too, so the statement can be a change. */
const NO_OPENING = { text: '' };
/** How long a transaction can take before it could be one that waits for a replica, in milliseconds. */
const LOOK_AFTER_MS = 1000;

export interface RefusalOptions {
  database: Database;
  /**
   * The same database by a connection of its own, because those of `database` can all wait for a replica: the state is
   * looked up there, and reads go there while all others are in use. Closed with the result.
   */
  beside: Database;
  logger: Logger;
  /** Milliseconds. */
  lookAfterMs?: number;
}

/**
 * Refuses changes at once while no synchronous replica confirms them. PostgreSQL lets each of them wait, without a limit,
 * in a process of the server that goes on after its client has given up: soon there are no connections, and reads fail
 * too. The state is looked up only while a transaction takes long, and then until changes are confirmed again. What waits
 * for a connection then does not wait for the changes that have all of them.
 */
export function refuseUnconfirmedChanges({
  database,
  beside,
  logger,
  lookAfterMs = LOOK_AFTER_MS,
}: RefusalOptions): Database {
  let isRefusing = false;
  let isLooking = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Begins elsewhere what waits for a connection. */
  const waiting = new Set<() => void>();

  const look = async () => {
    if (isLooking || isClosed) return;
    isLooking = true;
    // Without an answer the last one holds: reads can have the connection, and a change must not wait again because of it.
    // A database that does not answer is reported by the requests that need it.
    const obstacle = await findWriteObstacle(beside).catch(() => undefined);
    isLooking = false;
    const wasRefusing = isRefusing;
    if (obstacle !== undefined) isRefusing = obstacle === 'no_synchronous_replica';
    // Transactions that wait look too: each lookup replaces the next one, so that there is one at a time.
    clearTimeout(timer);
    if (isRefusing && !isClosed) timer = setTimeout(look, lookAfterMs).unref();
    if (isRefusing === wasRefusing) return;
    if (!isRefusing) return logger.warn('changes are accepted again');
    logger.error('no synchronous replica confirms changes, so they are refused');
    for (const move of waiting) move();
    waiting.clear();
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
  const refuseChanges: Database['transaction'] = (fn, opening) => {
    const source = hasFreeConnection(database) ? database : beside;
    return source.transaction(fn, { text: '', ...opening, isReadOnly: true });
  };
  /** Runs `fn`. If it still waits for a connection when changes are refused, it only reads, by the other connection. */
  const begin: Database['transaction'] = (fn, opening) =>
    new Promise((resolve, reject) => {
      // What a promise was resolved with first is its result: that of the other connection, if it was used.
      const move = () => resolve(refuseChanges(fn, opening));
      waiting.add(move);
      database
        .transaction((tx) => {
          if (waiting.delete(move)) return fn(tx);
          throw new Error('it has run by the other connection');
        }, opening)
        .finally(() => waiting.delete(move))
        .then(resolve, reject);
    });
  const transaction: Database['transaction'] = (fn, opening) =>
    isRefusing ? refuseChanges(fn, opening) : observe(() => begin(fn, opening));
  return {
    ...database,
    transaction,
    query: (text, values) =>
      isRefusing || !hasFreeConnection(database)
        ? inOneRoundTrip({ transaction }, (tx) => tx.query(text, values), NO_OPENING)
        : observe(() => database.query(text, values)),
    canWrite: () => !isRefusing && database.canWrite(),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all([beside.close(), database.close()]);
    },
  };
}

/** Whether a connection is free for one more, after those that wait for one. */
function hasFreeConnection(database: Database): boolean {
  const connections = database.connections();
  if (connections === null) return true;
  const { max, open, idle, waiting } = connections;
  return max - open + idle > waiting;
}
