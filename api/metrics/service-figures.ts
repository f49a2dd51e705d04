import type { Dependencies } from '../../core/dependencies.ts';
import { withoutScope } from '../../db/driver/database.ts';
import { type JobCount, listJobCounts } from '../../db/queries/jobs/job-tally.ts';
import {
  findWriteObstacle,
  readServiceState,
  type ServiceState,
} from '../../db/queries/jobs/service-state.ts';
import { readServiceUsage, type ServiceUsage } from '../../db/queries/jobs/usage.ts';
import { listWorkers } from '../../db/queries/jobs/workers.ts';
import { countJobs, type QueueFigures } from '../../db/queue/pg-boss-figures.ts';
import type { Logger } from '../../shared/logger.ts';
import { QUEUES } from '../../shared/queues.ts';
import { coalesce } from '../../shared/resources/coalesce.ts';
import { withTimeout } from '../../shared/resources/with-timeout.ts';

/** Figures of the whole service from the database. They contain no data of a tenant. */
export interface ServiceFigures {
  queues: readonly QueueFigures[];
  ended: readonly JobCount[];
  workers: number;
  usage: ServiceUsage;
  state: ServiceState;
  /** Who makes the vectors of chunks that have none. */
  embeddingMode: 'server' | 'client-provided';
}

/** Prometheus waits ten seconds for the whole answer. */
const DATABASE_TIMEOUT_MS = 3000;

function readFigures({
  config,
  database,
}: Pick<Dependencies, 'config' | 'database'>): Promise<ServiceFigures> {
  return withoutScope(database, async (tx) => ({
    queues: await countJobs(tx, Object.keys(QUEUES)),
    ended: await listJobCounts(tx),
    workers: (await listWorkers(tx)).length,
    usage: await readServiceUsage(tx, config),
    state: await readServiceState(tx),
    embeddingMode: config.serverEmbeddings ? 'server' : 'client-provided',
  }));
}

/**
 * Returns what `read` returns; null if the database does not answer in time. While a read hangs, later callers wait for
 * the same read: with a read for each caller, all database connections would end up in use.
 */
function inTime<T>(logger: Logger, failed: string, read: () => Promise<T>): () => Promise<T | null> {
  const shared = coalesce(read);
  return async () => {
    try {
      return await withTimeout(DATABASE_TIMEOUT_MS, shared(), 'the database did not answer in time');
    } catch (error) {
      logger.warn({ err: error }, failed);
      return null;
    }
  };
}

type Sources = Pick<Dependencies, 'config' | 'database' | 'logger'>;

/** Reads the figures; returns null if they cannot be read in time. */
export function figuresReader({ logger, ...deps }: Sources): () => Promise<ServiceFigures | null> {
  return inTime(logger, 'the figures of the service could not be read', () => readFigures(deps));
}

/**
 * Asks whether the database can store changes; returns null if it does not answer in time. A question of its own: figures
 * that are slow do not mean that the database is down.
 */
export function writableReader({ logger, database }: Omit<Sources, 'config'>): () => Promise<boolean | null> {
  return inTime(
    logger,
    'the database did not answer',
    async () => (await database.transaction(findWriteObstacle)) === null,
  );
}
