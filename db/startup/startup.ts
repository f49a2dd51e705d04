import type { Config } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import { openEmbedded } from '../driver/embedded.ts';
import { openPostgres } from '../driver/postgres.ts';
import type { PostgresTimeouts } from '../driver/postgres-pool.ts';
import { type BlobStore, databaseBlobs } from '../queries/workspace/blobs.ts';
import { type Principal, resolvePrincipal } from './bootstrap.ts';
import { migrate } from './migrate.ts';
import { assertIsolation, ensureServiceRoles } from './service-role.ts';

/** The first four steps of start-up, the same for API and worker. The fifth, listening, is the API's. */
export interface Backend {
  database: Database;
  blobs: BlobStore;
  principal: Principal;
}

/**
 * Start-up, in the order that the specification gives: resolves the backend, migrates memory, then
 * identity, resolves or bootstraps the server principal. Then asserts that row-level security holds.
 * @param timeouts of PostgreSQL; those of jobs where left out
 */
export async function startBackend(
  config: Config,
  logger: Logger,
  timeouts?: PostgresTimeouts,
): Promise<Backend> {
  const database =
    config.databaseUrl === null
      ? await openEmbedded({ dataDir: config.dataDir })
      : openPostgres(config.databaseUrl, logger, timeouts === undefined ? {} : { timeouts });
  try {
    await ensureServiceRoles(database);
    const applied = await migrate(database);
    if (applied.length > 0) logger.info({ applied }, 'the database was migrated');
    const principal = await resolvePrincipal(database, config, (warning) => logger.warn(warning));
    await assertIsolation(database);
    return { database, blobs: databaseBlobs(database), principal };
  } catch (error) {
    await database.close();
    throw error;
  }
}
