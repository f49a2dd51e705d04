import { PgBoss } from 'pg-boss';
import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import type { EmbeddedDatabase } from '../driver/embedded.ts';
import { JOB_TIMEOUTS } from '../driver/postgres-pool.ts';
import { openQueueConnections } from './connections.ts';
import { QUEUE_SCHEMA } from './pg-boss-jobs.ts';

/**
 * Creates the tables of pg-boss, without queues. `openQueue` does the same and more, for a service.
 * @param databaseUrl the connection string, or null with the embedded database
 */
export async function createQueueTables(
  database: Database,
  databaseUrl: string | null,
  logger: Logger,
): Promise<void> {
  const own =
    databaseUrl === null
      ? null
      : openQueueConnections(databaseUrl, logger, { max: 1, timeouts: JOB_TIMEOUTS });
  const boss = new PgBoss({
    ...(own === null
      ? { db: (database as EmbeddedDatabase).queueDatabase, backend: 'pglite' as const }
      : { db: own }),
    schema: QUEUE_SCHEMA,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => logger.error({ err: error }, 'the queue reports an error'));
  try {
    await boss.start();
    await boss.stop({ graceful: false });
  } finally {
    await own?.close();
  }
}
