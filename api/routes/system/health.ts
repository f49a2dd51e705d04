import { Type } from 'typebox';
import type { Dependencies } from '../../../core/dependencies.ts';
import { embedderView } from '../../../core/status/embedder-view.ts';
import { withoutScope } from '../../../db/driver/database.ts';
import { listWorkers, type WorkerRecord } from '../../../db/queries/jobs/workers.ts';
import type { Logger } from '../../../shared/logger.ts';
import { coalesce } from '../../../shared/resources/coalesce.ts';
import { within } from '../../../shared/resources/within.ts';
import { Health } from '../../../shared/schemas/memory.ts';
import type { Routes } from '../../types.ts';

/** Less than what probes wait: most give up after 3 seconds or more. */
const PATIENCE_MS = 2000;

/** What the database answers, or null where it does not. A health check is no place to wait for one that hangs. */
async function inTime<T>(logger: Logger, answer: Promise<T>): Promise<T | null> {
  try {
    return await within(PATIENCE_MS, answer, 'the database did not answer in time');
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer');
    return null;
  }
}

async function databaseAnswers({ database, logger }: Dependencies): Promise<boolean> {
  // A search records an event, so without space for that none can be answered.
  return database.canWrite() && (await inTime(logger, database.query('select 1'))) !== null;
}

/** The workers that live, where it depends on them what the service can do. Null: the database does not answer. */
function readWorkers({ config, database, logger }: Dependencies): Promise<WorkerRecord[] | null> {
  const workers = config.serverEmbeddings
    ? withoutScope(database, listWorkers)
    : database.query('select 1').then(() => []);
  return inTime(logger, workers);
}

const Ok = Type.Object({ ok: Type.Boolean() });

/**
 * GET /v1/health, and the probes of platforms: alive, and ready for requests. Open to everyone and without a limit, so
 * each has one check at a time in the database, however many ask.
 */
export const healthRoutes: Routes = (app, deps) => {
  const { config, database } = deps;
  const workersNow = coalesce(() => readWorkers(deps));
  const databaseAnswersNow = coalesce(() => databaseAnswers(deps));
  app.get(
    '/v1/health',
    { schema: { summary: 'Deployment health check', security: [], response: { 200: Health, 503: Health } } },
    async (_request, reply) => {
      const workers = await workersNow();
      const ok = workers !== null;
      reply.code(ok ? 200 : 503);
      return { ok, backend: database.backend, embedder: embedderView(config, workers) };
    },
  );
  app.get('/livez', { schema: { summary: 'The process is alive', response: { 200: Ok } } }, async () => ({
    ok: true,
  }));
  app.get(
    '/readyz',
    { schema: { summary: 'The process can answer requests', response: { 200: Ok, 503: Ok } } },
    async (_request, reply) => {
      const ok = await databaseAnswersNow();
      reply.code(ok ? 200 : 503);
      return { ok };
    },
  );
};
