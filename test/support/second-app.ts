import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { databaseBlobs } from '../../db/queries/workspace/blobs.ts';
import { createLogger } from '../../shared/logger.ts';
import type { TestApp } from './app.ts';
import { databaseUrl } from './needs/database.ts';
import { createCheapHasher } from './passwords.ts';
import { buildTestedApp } from './schema-compilers.ts';

/**
 * The app of another API process on the database of the first: on PostgreSQL it has connections of its own. What
 * a process keeps to itself, it keeps from this one. Closed when the test is done.
 */
export async function openSecondApp(
  t: { after(fn: () => unknown): void },
  { database: first, queue, config }: Pick<TestApp, 'database' | 'queue' | 'config'>,
): Promise<Pick<Dependencies, 'database'> & { app: App }> {
  const logger = createLogger('silent', 'test');
  const database = databaseUrl === undefined ? first : openPostgres(databaseUrl, logger);
  const app = await buildTestedApp({
    config,
    database,
    queue,
    logger,
    passwords: createCheapHasher(),
    blobs: databaseBlobs(database),
  });
  t.after(async () => {
    await app.close();
    if (database !== first) await database.close();
  });
  return { app, database };
}
