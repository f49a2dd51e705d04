import { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import type { EmbeddedDatabase } from '../driver/embedded.ts';
import { JOB_TIMEOUTS, type PostgresTimeouts } from '../driver/postgres-pool.ts';
import { openQueueConnections, type QueueConnections } from './connections.ts';
import type { ListenWaits } from './listen-again.ts';
import { QUEUE_SCHEMA } from './pg-boss-jobs.ts';

/** How pg-boss reaches the database, and what it does there. */
export interface BossSetup {
  database: Database;
  /** The connection string, or null with the embedded database. */
  databaseUrl: string | null;
  /** Whether this process also supervises jobs: lost heartbeats, expiry, retention. It listens for jobs then. */
  supervise: boolean;
  logger: Logger;
  /** How many connections to PostgreSQL the queue has, in addition to the one that listens. */
  connections: number;
  /** Time-outs of the queue's own connections to PostgreSQL; `JOB_TIMEOUTS` if absent. */
  timeouts?: PostgresTimeouts | undefined;
  /** If `listen` fails, it is tried again after these waits. Absent: the caller tries again. */
  listenWaits?: ListenWaits | undefined;
}

/**
 * Makes a pg-boss that is not started.
 * @returns it, and its connections to PostgreSQL, which the caller closes; null with the embedded database
 */
export function openBoss(setup: BossSetup): { boss: PgBoss; own: QueueConnections | null } {
  const {
    database,
    databaseUrl,
    supervise,
    logger,
    connections,
    timeouts = JOB_TIMEOUTS,
    listenWaits,
  } = setup;
  const own =
    databaseUrl === null
      ? null
      : openQueueConnections(databaseUrl, logger, {
          max: connections,
          timeouts,
          ...(listenWaits === undefined ? {} : { listenWaits }),
        });
  const boss = new PgBoss({
    ...(own === null
      ? { db: (database as EmbeddedDatabase).queueDatabase, backend: 'pglite' as const }
      : { db: own }),
    schema: QUEUE_SCHEMA,
    useListenNotify: supervise,
    supervise,
    schedule: supervise,
    monitorIntervalSeconds: 15,
    superviseIntervalSeconds: 15,
    queueCacheIntervalSeconds: 15,
    persistQueueStats: supervise,
  });
  boss.on('error', (error) => logger.error({ err: error }, 'the queue reports an error'));
  return { boss, own };
}
