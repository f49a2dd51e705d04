import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { databaseBlobs } from '../../db/queries/workspace/contents.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl } from './needs/database.ts';
import { createCheapHasher } from './passwords.ts';
import { buildTestedApp } from './schema-compilers.ts';

/**
 * The app of another API process on the database of the first: on PostgreSQL it has connections of its own. What
 * a process keeps to itself, it keeps from this one. Closed when the test is done.
 */
export async function openSecondApp(
  t: { after(fn: () => unknown): void },
  service: Dependencies,
  url = databaseUrl,
): Promise<Pick<Dependencies, 'database'> & { app: App }> {
  const database = url === undefined ? service.database : openPostgres(url, createLogger('silent', 'test'));
  const app = await buildTestedApp({
    ...service,
    database,
    blobs: databaseBlobs(database),
    passwords: createCheapHasher(),
  });
  t.after(async () => {
    await app.close();
    if (database !== service.database) await database.close();
  });
  return { app, database };
}
