import { callbackify } from 'node:util';
import pg from 'pg';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/async.ts';
import type { Connections } from './database.ts';
import { endConnection } from './servers/ask-server.ts';
import { chooseServer, NO_WATCH, type ServerChoice } from './servers/server-choice.ts';
import { types } from './wire-format.ts';

/**
 * How long each step can take, in milliseconds. The server's limit for a statement is shorter than the client's, so the
 * client's limit is reached only if the connection is dead.
 */
export interface PostgresTimeouts {
  /** Until a connection is available, including the time to open one. */
  connect: number;
  /** The same while the database does not answer: another statement has already waited for it. */
  connectWhileUnresponsive: number;
  /** Until the server gives up waiting for a lock. */
  lock: number;
  /** Until the server ends a statement. */
  statement: number;
  /** Until the client gives up a statement and closes its connection. */
  query: number;
}

/** For requests. A request must end within 12 seconds if the database does not answer, including its cleanup. */
export const REQUEST_TIMEOUTS: PostgresTimeouts = {
  connect: 5000,
  connectWhileUnresponsive: 1000,
  lock: 8000,
  statement: 9000,
  query: 10_000,
};

/** For jobs, whose statements take longer. A dead connection must be replaced within 30 seconds of its last use. */
export const JOB_TIMEOUTS: PostgresTimeouts = {
  connect: 5000,
  connectWhileUnresponsive: 1000,
  lock: 10_000,
  statement: 15_000,
  query: 20_000,
};

/** The longest timer. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * For building an index, which takes minutes or hours and waits for all older transactions, for example those of a
 * backup. If the connection is dead, the kernel's probes end the statement.
 */
export const BUILD_TIMEOUTS: PostgresTimeouts = {
  ...JOB_TIMEOUTS,
  lock: 0,
  statement: 0,
  query: NO_TIMEOUT_MS,
};

/**
 * An idle connection is closed after `IDLE_MS`. The kernel starts to probe it after `KEEP_ALIVE_AFTER_MS`, ten times,
 * once a second. So a dead connection that is not used is closed within 20 seconds.
 */
const IDLE_MS = 20_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/**
 * How long the pool can take to close. Without a limit, a dead connection in use would delay the end of the process.
 */
const CLOSE_MS = 2000;

/** The driver's message if no connection is available in time. `databaseFault` recognizes it. */
export const CONNECT_TIMED_OUT = 'timeout exceeded when trying to connect';

/** How long a transaction can wait for its client before the server ends its connection. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Returns what begins a transaction with the server's limits. They are not sent when a connection is opened: PgBouncer
 * refuses such parameters, and a setting of the session would reach other clients behind it. Null without limits.
 */
export function beginWithin({ statement, lock }: PostgresTimeouts): string | null {
  if (statement === 0) return null;
  return (
    `begin; set local statement_timeout = ${statement}; set local lock_timeout = ${lock}; ` +
    `set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`
  );
}

/** The settings of each connection. Nothing in them is a parameter of the server. */
function connectionSettings(connectionString: string, timeouts: PostgresTimeouts) {
  return {
    connectionString,
    connectionTimeoutMillis: timeouts.connect,
    query_timeout: timeouts.query,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/** The settings of a connection pool, of the service or of the queue. */
export function poolSettings(connectionString: string, timeouts: PostgresTimeouts) {
  return {
    ...connectionSettings(connectionString, timeouts),
    idleTimeoutMillis: IDLE_MS,
    types,
    // Sends statements without waiting for the answer to earlier ones, for example `begin` with the next statement.
    pipeline: true,
  };
}

/** Makes the pool destroy a connection after its use, for this reason. */
export type DestroyAfterUse = (reason: Error) => void;

/** A pool of connections, each used for one statement or transaction. */
export interface ConnectionPool {
  /** @throws Error if no connection is available in time */
  use<T>(fn: (client: pg.Client, destroyAfterUse: DestroyAfterUse) => Promise<T>): Promise<T>;
  readonly connections: () => Connections;
  /**
   * Opens a connection beside the pool, to the same server and with the same limits.
   * @throws Error if it cannot be opened, or its server must not be used
   */
  readonly open: (settings: pg.ClientConfig) => Promise<pg.Client>;
  /** Closes the pool. A second call has no effect. */
  readonly close: () => Promise<void>;
}

/** Whether a statement got no answer in time. The driver's error for this has no class and no code. */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * Opens a pool that detects dead connections. If a statement gets no answer in time, its connection is destroyed, and
 * so is each idle connection whose last answer is older than that statement. Otherwise the next statements would each
 * wait as long for another dead connection.
 * @param isForReading whether the servers can be replicas
 */
export function openConnectionPool(
  settings: pg.PoolConfig & { max: number; connectionString: string },
  timeouts: PostgresTimeouts,
  logger: Logger,
  isForReading = false,
): ConnectionPool {
  const servers = chooseServer(settings.connectionString, isForReading);
  // What builds an index for hours is no sign of a server that hangs. Other pools of the process end its connection.
  const watch = timeouts.statement === 0 ? NO_WATCH : servers.watch();
  const pool = new pg.Pool({ ...settings, Client: servers.Client, verify: callbackify(servers.verify) });
  // What waits for a connection gets one to the server that is chosen then.
  Object.defineProperty(pool.options, 'connectionString', { get: servers.address, enumerable: true });
  // Without a listener, here and on each client, a connection that the server terminates would end the process.
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost');
  const lastAnswer = new WeakMap<pg.PoolClient, number>();
  let isUnresponsive = false;
  let suspectBefore = Number.NEGATIVE_INFINITY;
  const noteAnswer = (client: pg.PoolClient) => {
    lastAnswer.set(client, performance.now());
    isUnresponsive = false;
    watch.noteAnswer();
  };
  const noteTimeout = () => {
    isUnresponsive = true;
    suspectBefore = performance.now() - timeouts.query;
  };
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    noteAnswer(client);
  });
  // The pool has no connection left, which is no fault of the server.
  const isFull = (error: unknown) => error instanceof Error && error.message === CONNECT_TIMED_OUT;
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const connecting = servers.connect(() => pool.connect(), isFull);
      const client = await (isUnresponsive
        ? withTimeout(timeouts.connectWhileUnresponsive, connecting, CONNECT_TIMED_OUT, (late) =>
            late.release(),
          )
        : connecting);
      if ((lastAnswer.get(client) ?? 0) >= suspectBefore) return client;
      client.release(true);
    }
  };
  const use: ConnectionPool['use'] = async (fn) => {
    const client = await connect();
    let failure: Error | undefined;
    try {
      const result = await fn(client, (reason) => {
        failure = reason;
      });
      noteAnswer(client);
      return result;
    } catch (error) {
      if (isUnanswered(error)) noteTimeout();
      throw error;
    } finally {
      client.release(failure);
    }
  };
  let closing: Promise<void> | null = null;
  return {
    use: async (fn) => {
      watch.begin();
      try {
        return await use(fn);
      } finally {
        watch.end();
      }
    },
    open: (single) =>
      servers.connect(() =>
        openConnection(servers, { ...connectionSettings(servers.address(), timeouts), ...single }),
      ),
    connections: () => ({
      max: settings.max,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () =>
      (closing ??= withTimeout(CLOSE_MS, pool.end(), 'the pool did not close in time').catch(
        (error: unknown) => logger.warn({ err: error }, 'database connections were left open'),
      )),
  };
}

async function openConnection(
  { Client, verify }: ServerChoice,
  settings: pg.ClientConfig,
): Promise<pg.Client> {
  const client = new Client(settings);
  // The attempt to connect, or the running statement, fails too and reports the error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await verify(client);
    return client;
  } catch (error) {
    await endConnection(client);
    throw error;
  }
}
