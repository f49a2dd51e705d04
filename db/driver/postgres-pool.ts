import pg from 'pg';
import type { Logger } from '../../shared/logger.ts';
import { within } from '../../shared/resources/within.ts';
import type { Connections } from './database.ts';

/**
 * How long each step may take, in milliseconds. The server ends a statement before the client stops waiting for it, so
 * that the client's limit is reached only where the connection is dead.
 */
export interface PostgresTimeouts {
  /** Until a connection is there, whether it is made or waited for. */
  connect: number;
  /** The same while the database is silent: what asks then has waited for it already. */
  connectWhileSilent: number;
  /** Until the server gives up waiting for a lock. */
  lock: number;
  /** Until the server ends a statement. */
  statement: number;
  /** Until the client gives up a statement, and its connection with it. */
  query: number;
}

/** For requests: one whose database does not respond must end within 12 seconds, cleaning up included. */
export const REQUEST_TIMEOUTS: PostgresTimeouts = {
  connect: 5000,
  connectWhileSilent: 1000,
  lock: 8000,
  statement: 9000,
  query: 10_000,
};

/** For jobs, whose statements are longer. A dead connection must be replaced within 30 seconds of its last use. */
export const JOB_TIMEOUTS: PostgresTimeouts = {
  connect: 5000,
  connectWhileSilent: 1000,
  lock: 10_000,
  statement: 15_000,
  query: 20_000,
};

/**
 * An idle connection is closed after this, and the kernel probes one from then on: every second, ten times. So a dead one
 * that nobody uses is gone within 20 seconds.
 */
const IDLE_MS = 20_000;
export const KEEP_ALIVE_AFTER_MS = 10_000;
/** How long the pool may take to close: a connection in use that is dead would hold up the end of the process. */
const CLOSE_MS = 2000;

/** What the driver says where a connection is not to be had in time: `databaseFault` knows it. */
const CONNECT_TIMED_OUT = 'timeout exceeded when trying to connect';

/** The settings of a pool of the driver, ours or pg-boss's. */
export function poolSettings(connectionString: string, timeouts: PostgresTimeouts) {
  return {
    connectionString,
    connectionTimeoutMillis: timeouts.connect,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    statement_timeout: timeouts.statement,
    query_timeout: timeouts.query,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: 60_000,
  };
}

/** Ends the loan of a connection by destroying it, for this reason. */
export type Condemn = (reason: Error) => void;

/** Connections that are lent for a statement or a transaction. */
export interface ConnectionPool {
  /** @throws Error where none is to be had in time */
  use<T>(fn: (client: pg.Client, condemn: Condemn) => Promise<T>): Promise<T>;
  readonly connections: () => Connections;
  /** Closes it. Closing twice is fine. */
  readonly close: () => Promise<void>;
}

/** Whether a statement got no answer in time: the driver's error for that has neither class nor code. */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Opens a pool that does not trust a connection only because it is open. When a statement gets no answer in time, its
 * connection is destroyed, and so is each idle one that was last heard from before that statement was sent: else the
 * next statements would each wait as long for another dead connection.
 */
export function openConnectionPool(
  settings: pg.PoolConfig & { max: number },
  timeouts: PostgresTimeouts,
  logger: Logger,
): ConnectionPool {
  const pool = new pg.Pool(settings);
  // Without these two a backend that the server terminates ends the process with an unhandled 'error'.
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost');
  const lastHeard = new WeakMap<pg.PoolClient, number>();
  let isSilent = false;
  let suspectBefore = Number.NEGATIVE_INFINITY;
  const heard = (client: pg.PoolClient) => {
    lastHeard.set(client, performance.now());
    isSilent = false;
  };
  const unanswered = () => {
    isSilent = true;
    suspectBefore = performance.now() - timeouts.query;
  };
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    heard(client);
  });
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const connecting = pool.connect();
      const client = await (isSilent
        ? within(timeouts.connectWhileSilent, connecting, CONNECT_TIMED_OUT, (late) => late.release())
        : connecting);
      if ((lastHeard.get(client) ?? 0) >= suspectBefore) return client;
      client.release(true);
    }
  };
  let closing: Promise<void> | null = null;
  return {
    use: async (fn) => {
      const client = await connect();
      let failure: Error | undefined;
      try {
        const result = await fn(client, (reason) => {
          failure = reason;
        });
        heard(client);
        return result;
      } catch (error) {
        if (isUnanswered(error)) unanswered();
        throw error;
      } finally {
        client.release(failure);
      }
    },
    connections: () => ({
      max: settings.max,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () =>
      (closing ??= within(CLOSE_MS, pool.end(), 'the pool did not close in time').catch((error: unknown) =>
        logger.warn({ err: error }, 'database connections were left open'),
      )),
  };
}
