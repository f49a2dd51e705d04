import { after } from 'node:test';
import type { Dependencies } from '../../core/dependencies.ts';
import { openPostgres, type PostgresOptions } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { buildTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { databaseUrl, openPrepared } from './needs/database.ts';
import { createPreparedDatabase } from './needs/own-database.ts';

/**
 * The HTTP app on a database of the test file's own, where else files share one: for tests of the
 * server principal, of whom a database has one, for tests that read everything there is, and for tests with a worker,
 * which would take the jobs of other files.
 * @param postgres how its connections are opened, where that is PostgreSQL
 */
export async function openOwnTestApp(
  env: Record<string, string> = {},
  postgres: PostgresOptions = {},
  options: TestAppOptions = {},
): Promise<TestApp & Dependencies & { url: string | undefined }> {
  if (databaseUrl === undefined) {
    const service = await buildTestApp(await openPrepared(), undefined, env, options);
    after(() => service.close());
    return { ...service, url: undefined };
  }
  const own = await createPreparedDatabase(databaseUrl);
  const database = openPostgres(own.url, createLogger('fatal', 'test'), postgres);
  const service = await buildTestApp(database, own.url, env, options);
  after(async () => {
    await service.close();
    await own.drop();
  });
  return { ...service, url: own.url };
}
