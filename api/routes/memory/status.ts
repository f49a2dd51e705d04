import { transaction } from '../../../db/database.ts';
import { countTeamFigures, listLatestFailures } from '../../../db/queries/status.ts';
import { listWorkers } from '../../../db/queries/workers.ts';
import { Status } from '../../../shared/schemas/status.ts';
import type { Routes } from '../../app.ts';
import { embedderView } from '../../embedding/embedder-view.ts';
import { queueReader } from '../../metrics/queue-figures.ts';

const RECENT_FAILURES = 10;

/** GET /v1/memory/status: figures of what the caller reaches and, with Full access, of jobs and workers. */
export const statusRoute: Routes = (app, { config, database }) => {
  const readQueues = queueReader(database);
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
      const [{ figures, recentFailures, workers }, jobs] = await Promise.all([readTeam, readJobs]);
      return {
        // Whoever reads this line has an answer of the database, in which the queue lies too.
        health: { ok: true, database: true, queue: true, worker: workers.length > 0 },
        ...figures,
        imports: { ...figures.imports, recentFailures },
        jobs,
        embedder: embedderView(config, workers),
        workers: full ? workers : [],
      };
    },
  );
};
