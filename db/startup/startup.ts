import type { Config } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Database } from '../driver/database.ts';
import { openEmbedded } from '../driver/embedded.ts';
import { openPostgres } from '../driver/postgres.ts';
import type { PostgresTimeouts } from '../driver/postgres-pool.ts';
import { openBlobs } from '../objects/open-blobs.ts';
import type { BlobStore } from '../queries/workspace/blobs.ts';
import { type Principal, resolvePrincipal } from './bootstrap.ts';
import { foldStoredNames } from './folded-names.ts';
import { migrate } from './migrate.ts';
import { assertIsolation, ensureServiceRoles } from './service-role.ts';

/** What start-up gives the API and the worker. */
export interface Backend {
  database: Database;
  blobs: BlobStore;
  principal: Principal;
}

/**
 * The start-up of API and worker: opens the database, ensures the roles, migrates, finds or creates the server
 * principal, folds the names that are not folded yet, asserts that row-level security is effective, and opens the bucket, if
 * there is one.
 * @param timeouts of PostgreSQL; `JOB_TIMEOUTS` if absent
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
    await foldStoredNames(database);
    await assertIsolation(database);
    return { database, blobs: await openBlobs(database, config, logger), principal };
  } catch (error) {
    await database.close();
    throw error;
  }
}
