import type { Dependencies } from '../../core/dependencies.ts';
import { withoutScope } from '../../db/driver/database.ts';
import { type JobCount, listJobCounts } from '../../db/queries/jobs/job-tally.ts';
import { readServiceState, type ServiceState } from '../../db/queries/jobs/service-state.ts';
import { readServiceUsage, type ServiceUsage } from '../../db/queries/jobs/usage.ts';
import { listWorkers } from '../../db/queries/jobs/workers.ts';
import { countJobs, type QueueFigures } from '../../db/queue/pg-boss-figures.ts';
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
 * Reads the figures; returns null if the database does not answer in time. While a read hangs, later callers wait for
 * the same read: with a read for each caller, all database connections would end up in use.
 */
export function figuresReader({
  logger,
  ...deps
}: Pick<Dependencies, 'config' | 'database' | 'logger'>): () => Promise<ServiceFigures | null> {
  const read = coalesce(() => readFigures(deps));
  return async () => {
    try {
      return await withTimeout(DATABASE_TIMEOUT_MS, read(), 'the database did not answer in time');
    } catch (error) {
      logger.warn({ err: error }, 'the figures of the service could not be read');
      return null;
    }
  };
}
