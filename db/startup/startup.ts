import type { Config } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import { assertCertificates } from '../../shared/settings/folders.ts';
import type { Database } from '../driver/database.ts';
import { openEmbedded } from '../driver/embedded.ts';
import { openPostgres } from '../driver/postgres.ts';
import { JOB_TIMEOUTS, type PostgresTimeouts, REQUEST_TIMEOUTS } from '../driver/postgres-pool.ts';
import { shareKnownPrimaries } from '../driver/servers/known-servers.ts';
import { openBlobs } from '../objects/blobs.ts';
import { warnOfOldPgvector } from '../queries/embeddings.ts';
import type { BlobStore } from '../queries/workspace/contents.ts';
import { followReplica } from '../replica/follow-replica.ts';
import { refuseUnconfirmedChanges } from '../replica/refuse-unconfirmed.ts';
import { type Principal, resolvePrincipal } from './bootstrap.ts';
import { migrate } from './migrate.ts';
import { assertIsolation, ensureServiceRoles } from './service-role.ts';
import { assertNoUnfinishedMove, isMarkedFolder, UnfinishedMoveError } from './unfinished-move.ts';

/** How the connections of a process are divided. One more listens. */
export interface ConnectionShares {
  /** For requests and jobs. */
  pool: number;
  /** For the queue: enqueuing, fetching and maintaining jobs. */
  queue: number;
}

/**
 * Divides the connections of a process: one listens, the queue gets a third of the others.
 * @param connections `MEMORY_DATABASE_POOL`
 */
export function shareConnections(connections: number): ConnectionShares {
  const others = connections - 1;
  const queue = Math.max(1, Math.floor(others / 3));
  return { pool: others - queue, queue };
}

/**
 * Warns if the server does not have as many connections left as this process can open. Other processes can open more
 * than they have open now, and behind a pooler the server counts the connections of the pooler: so a start without a
 * warning is no proof.
 * @param connections `MEMORY_DATABASE_POOL`
 */
async function warnOfTooFewConnections(
  database: Database,
  connections: number,
  logger: Logger,
): Promise<void> {
  const [found] = await database.query<{ accepted: number; open: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              - current_setting('reserved_connections')::int as accepted,
            (select sum(numbackends) from pg_stat_database)::int as open`,
  );
  if (found === undefined) return;
  // The connection that asks is one of this process.
  const open = Math.max(0, found.open - 1);
  if (open + connections <= found.accepted) return;
  logger.warn(
    { acceptedByServer: found.accepted, openNow: open, ofThisProcess: connections },
    'the database accepts fewer connections than this process can open: raise max_connections, lower MEMORY_DATABASE_POOL, or use a pooler',
  );
}

/** What start-up gives the API and the worker. */
export interface Backend {
  database: Database;
  blobs: BlobStore;
  principal: Principal;
}

/** The start needs one. A second one would be used only if the first is lost. */
const START_CONNECTIONS = 2;

/**
 * The start-up of API and worker: opens the database, ensures the roles, migrates, finds or creates the server principal,
 * asserts that row-level security is effective, and opens the bucket, if there is one.
 * @param use what the database is for, which decides how long a statement can take on PostgreSQL. Requests are also
 *   refused while no synchronous replica confirms changes. Jobs wait for it instead: each refusal would count as an attempt
 */
export async function startBackend(
  config: Config,
  logger: Logger,
  use: 'requests' | 'jobs' = 'jobs',
): Promise<Backend> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl === null || databaseDirectUrl === null) {
    const { dataDir } = config;
    const onLocked = async () => {
      if (await isMarkedFolder(dataDir)) throw new UnfinishedMoveError();
    };
    const database = await openEmbedded({ dataDir, onLocked });
    const principal = await closeIfFails(database, () => prepare(database, config, logger));
    return {
      database,
      blobs: await closeIfFails(database, () => openBlobs(database, config, logger)),
      principal,
    };
  }
  await assertCertificates('MEMORY_DATABASE_URL', databaseUrl);
  await assertCertificates('MEMORY_DATABASE_DIRECT_URL', databaseDirectUrl);
  if (config.databaseReplicaUrl !== null) {
    await assertCertificates('MEMORY_DATABASE_REPLICA_URL', config.databaseReplicaUrl);
  }
  shareKnownPrimaries(databaseDirectUrl, databaseUrl);
  // Steps of the start wait for other processes, and keep locks and settings while they do.
  const direct = openPostgres(databaseDirectUrl, logger, { max: START_CONNECTIONS });
  const principal = await closeIfFails(direct, async () => {
    const prepared = await prepare(direct, config, logger);
    await warnOfTooFewConnections(direct, config.databasePool, logger);
    // Only the worker builds graphs.
    if (use === 'jobs') await warnOfOldPgvector(direct, logger);
    return prepared;
  });
  await direct.close();
  const { pool: max } = shareConnections(config.databasePool);
  const timeouts = use === 'requests' ? REQUEST_TIMEOUTS : JOB_TIMEOUTS;
  const opened = openPostgres(databaseUrl, logger, { max, timeouts });
  const watch = () => openPostgres(databaseUrl, logger, { max: 1, timeouts });
  const primary =
    use === 'requests' ? refuseUnconfirmedChanges({ database: opened, beside: watch(), logger }) : opened;
  const database = withReplica(primary, config, logger, { max, timeouts });
  // A pooler, or its address, can be wrong although the database itself answers.
  await closeIfFails(database, () => database.query('select 1'));
  const blobs = await closeIfFails(database, () => openBlobs(database, config, logger));
  return { database, blobs, principal };
}

/** How long a read waits for a connection to the replica, or for a lock there, in milliseconds. Then the primary is read. */
const REPLICA_WAIT_MS = 1000;

/** The database with its replica, if the settings name one. The service starts without it if it does not answer. */
function withReplica(
  primary: Database,
  { databaseReplicaUrl, replicaMaxLagMs }: Pick<Config, 'databaseReplicaUrl' | 'replicaMaxLagMs'>,
  logger: Logger,
  { max, timeouts }: { max: number; timeouts: PostgresTimeouts },
): Database {
  if (databaseReplicaUrl === null) return primary;
  const opened = openPostgres(databaseReplicaUrl, logger, {
    max,
    timeouts: {
      ...timeouts,
      connect: REPLICA_WAIT_MS,
      connectWhileUnresponsive: REPLICA_WAIT_MS,
      lock: REPLICA_WAIT_MS,
    },
    isForReading: true,
  });
  const replica = followReplica({ primary, replica: opened, logger, maxLagMs: replicaMaxLagMs });
  return {
    ...primary,
    replica,
    close: async () => {
      await Promise.all([replica.close(), primary.close()]);
    },
  };
}

async function closeIfFails<T>(database: Database, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** What the start does in the database: see `startBackend`. */
async function prepare(database: Database, config: Config, logger: Logger): Promise<Principal> {
  await assertNoUnfinishedMove(database);
  await ensureServiceRoles(database);
  // A move can have begun since. It marks the database under the same lock.
  const applied = await migrate(database, {}, assertNoUnfinishedMove);
  if (applied.length > 0) logger.info({ applied }, 'the database was migrated');
  const principal = await resolvePrincipal(database, config, (warning) => logger.warn(warning));
  await assertIsolation(database);
  return principal;
}
