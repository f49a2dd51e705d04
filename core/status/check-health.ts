import { withoutScope } from '../../db/driver/database.ts';
import { findWriteObstacle, type WriteObstacle } from '../../db/queries/jobs/service-state.ts';
import { listWorkers, type WorkerRecord } from '../../db/queries/jobs/workers.ts';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/with-timeout.ts';
import type { Dependencies } from '../dependencies.ts';
import { embedderView } from './embedder-view.ts';

/** Shorter than the time-out of probes, which is 3 seconds or more for most of them. */
const DATABASE_TIMEOUT_MS = 2000;

type Needed = Pick<Dependencies, 'config' | 'database' | 'logger'>;

/**
 * The answer of the database, or null if it fails or takes too long: a health check must not wait for a database that
 * hangs.
 */
async function withinTimeout<T>(logger: Logger, answer: Promise<T>): Promise<T | null> {
  try {
    return await withTimeout(DATABASE_TIMEOUT_MS, answer, 'the database did not answer in time');
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer');
    return null;
  }
}

/** The running workers, if the service needs them for embeddings. Null if the database does not answer. */
function readWorkers({ config, database, logger }: Needed): Promise<WorkerRecord[] | null> {
  const workers = config.serverEmbeddings
    ? withoutScope(database, listWorkers)
    : database.query('select 1').then(() => []);
  return withinTimeout(logger, workers);
}

/** Returns whether the database answers, and how embeddings are made. Never rejects because of the database. */
export async function checkHealth(deps: Needed) {
  const workers = await readWorkers(deps);
  return {
    ok: workers !== null,
    backend: deps.database.backend,
    embedder: embedderView(deps.config, workers),
  };
}

/**
 * Returns whether the database answers and can store changes, and why not if it answers that. Never rejects because of
 * the database.
 */
export async function checkReadiness({
  database,
  logger,
}: Pick<Dependencies, 'database' | 'logger'>): Promise<{ writes: boolean; reason?: WriteObstacle }> {
  // A search writes an audit event, so it cannot be answered if the database cannot write.
  if (!database.canWrite() && database.backend === 'pglite') return { writes: false };
  const found = await withinTimeout(
    logger,
    findWriteObstacle(database).then((obstacle) => ({ obstacle })),
  );
  if (found === null) return { writes: false };
  return found.obstacle === null ? { writes: true } : { writes: false, reason: found.obstacle };
}
