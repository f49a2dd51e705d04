import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import { queryWithin } from '../driver/postgres.ts';
import {
  BUILD_TIMEOUTS,
  beginWithin,
  type ConnectionPool,
  openConnectionPool,
  type PostgresTimeouts,
  poolSettings,
} from '../driver/postgres-pool.ts';
import { endConnection } from '../driver/servers/ask-server.ts';
import { sendBegin } from '../driver/servers/server-choice.ts';
import { type Listen, type ListenWaits, listenAgainLater, listenOn } from './listen.ts';

/** What pg-boss needs of a database. */
export type QueueDatabase = ReturnType<PgBoss['getDb']>;

/** The queue's own connections to PostgreSQL. */
export interface QueueConnections extends QueueDatabase {
  /** Call it when pg-boss has started: it changes its tables only before that. */
  hasStarted(): void;
  close(): Promise<void>;
}

/** When pg-boss starts, it changes its tables in transactions. */
const BEGIN = /^\s*begin\b/i;
/** It builds and rebuilds indexes outside of transactions, at any time. */
const INDEX_CONCURRENTLY = /\bindex\s+concurrently\b/i;

const APPLICATION = 'team-memory-queue';

export interface QueueConnectionOptions {
  /** How many connections the pool of the queue can have. One more listens. */
  max: number;
  timeouts: PostgresTimeouts;
  /** If `listen` fails, it is tried again after these waits. Absent: the caller tries again. */
  listenWaits?: ListenWaits;
}

/**
 * Opens the connections of the queue. Each of its statements runs in a transaction with the limits, as those of the
 * service do. Statements that change tables or build indexes have separate connections without limits, because large
 * tables take longer.
 */
export function openQueueConnections(
  url: string,
  logger: Logger,
  { max, timeouts, listenWaits }: QueueConnectionOptions,
): QueueConnections {
  const settings = { ...poolSettings(url, timeouts), max, application_name: APPLICATION };
  const pool = openConnectionPool(settings, timeouts, logger);
  const beginning = beginWithin(timeouts) ?? 'begin';
  let isStarting = true;
  const executeSql: QueueDatabase['executeSql'] = async (text, values) => {
    const isLong = INDEX_CONCURRENTLY.test(text) || (isStarting && BEGIN.test(text));
    if (isLong) return queryWithoutLimits(pool, text, values);
    return pool.use(async (client, destroyAfterUse) => {
      try {
        // A script with a transaction of its own sets the limits of that transaction.
        if (BEGIN.test(text)) return (await sendBegin(client, text)) as pg.QueryResult;
        return await queryWithin(client, beginning, () => client.query(text, values));
      } catch (error) {
        destroyAfterUse(error as Error);
        throw error;
      }
    });
  };
  const listen: Listen = async (channel, onNotification, onConnect) =>
    listenOn({
      connect: () => pool.open({ application_name: `${APPLICATION}-listen` }),
      notify: async (payload) => {
        await executeSql('select pg_notify($1, $2)', [channel, payload]);
      },
      channel,
      onNotification,
      onConnect,
      logger,
    });
  const again = listenWaits === undefined ? null : listenAgainLater(listen, logger, listenWaits);
  return {
    executeSql,
    listen: again?.listen ?? listen,
    hasStarted: () => {
      isStarting = false;
    },
    close: async () => {
      await again?.close();
      await pool.close();
    },
  };
}

async function queryWithoutLimits(pool: ConnectionPool, text: string, values?: unknown[]) {
  const client = await pool.open({ application_name: APPLICATION, query_timeout: BUILD_TIMEOUTS.query });
  try {
    return await client.query(text, values);
  } finally {
    await endConnection(client);
  }
}
