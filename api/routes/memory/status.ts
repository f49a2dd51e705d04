import { embedderView } from '../../../core/search/embedder-view.ts';
import { transaction } from '../../../db/driver/database.ts';
import { countTeamFigures, listLatestFailures } from '../../../db/queries/jobs/status.ts';
import { listWorkers } from '../../../db/queries/jobs/workers.ts';
import { Status } from '../../../shared/schemas/status.ts';
import { queueReader } from '../../metrics/queue-figures.ts';
import { queueHealthReader } from '../../metrics/queue-health.ts';
import type { Routes } from '../../types.ts';

const RECENT_FAILURES = 10;

/** GET /v1/memory/status: figures of the content the caller can read and, with Full access, of jobs and workers. */
export const statusRoute: Routes = (app, deps) => {
  const { config, database } = deps;
  const readQueues = queueReader(database);
  const readQueueHealth = queueHealthReader(deps);
  app.get(
    '/v1/memory/status',
    {
      schema: { summary: 'Sources, imports, jobs and workers', tags: ['memory'], response: { 200: Status } },
    },
    async (request) => {
      const full = request.teamScope.access === 'full';
      const readTeam = transaction(database, request.teamScope, async (tx) => ({
        figures: await countTeamFigures(tx),
        recentFailures: await listLatestFailures(tx, RECENT_FAILURES),
        workers: await listWorkers(tx),
      }));
      // Of the whole service, so by connections of its own, at the same time.
      const readJobs = full ? readQueues() : [];
      const [{ figures, recentFailures, workers }, jobs, queue] = await Promise.all([
        readTeam,
        readJobs,
        readQueueHealth(),
      ]);
      const worker = workers.length > 0;
      return {
        // Here the database has answered: where it does not, the request fails.
        health: { ok: queue && worker, database: true, queue, worker },
        ...figures,
        imports: { ...figures.imports, recentFailures },
        jobs,
        embedder: embedderView(config, workers),
        workers: full ? workers : [],
      };
    },
  );
};
