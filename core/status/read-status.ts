import { transaction } from '../../db/driver/database.ts';
import { countTeamFigures, listLatestFailures } from '../../db/queries/jobs/status.ts';
import { listWorkers } from '../../db/queries/jobs/workers.ts';
import { hasRight } from '../../shared/access.ts';
import type { QueueStatus, Status } from '../../shared/schemas/status.ts';
import type { TeamScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { embedderView } from './embedder-view.ts';
import { readUsage } from './read-usage.ts';

const RECENT_FAILURES = 10;

/** Read figures of the whole service, on connections of their own. */
export interface ServiceReaders {
  readQueues: () => Promise<QueueStatus[]>;
  readQueueHealth: () => Promise<boolean>;
}

/** Reads the status: figures of the content that the scope can read and, with Full access, of jobs and workers. */
export async function readStatus(
  {
    config,
    database,
    readQueues,
    readQueueHealth,
  }: Pick<Dependencies, 'config' | 'database'> & ServiceReaders,
  scope: TeamScope,
): Promise<Status> {
  const canReadWorkload = hasRight(scope, 'readWorkload');
  const [{ figures, recentFailures, workers, storage }, jobs, queue] = await Promise.all([
    transaction(database, scope, async (tx) => ({
      figures: await countTeamFigures(tx),
      recentFailures: await listLatestFailures(tx, RECENT_FAILURES),
      workers: await listWorkers(tx),
      storage: await readUsage(tx, config),
    })),
    canReadWorkload ? readQueues() : [],
    readQueueHealth(),
  ]);
  const worker = workers.length > 0;
  return {
    // If the database does not answer, the request fails.
    health: { ok: queue && worker, database: true, queue, worker },
    ...figures,
    ...storage,
    imports: { ...figures.imports, recentFailures },
    jobs,
    embedder: embedderView(config, workers),
    workers: canReadWorkload ? workers : [],
  };
}
