import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import { openBoss } from './open-boss.ts';

/**
 * Creates the tables of pg-boss, without queues. `openQueue` does the same and more, for a service.
 * @param databaseUrl the connection string, or null with the embedded database
 */
export async function createQueueTables(
  database: Database,
  databaseUrl: string | null,
  logger: Logger,
): Promise<void> {
  const { boss, own } = openBoss({ database, databaseUrl, supervise: false, logger, connections: 1 });
  try {
    await boss.start();
    await boss.stop({ graceful: false });
  } finally {
    await own?.close();
  }
}
