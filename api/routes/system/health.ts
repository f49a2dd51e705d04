import { Type } from 'typebox';
import type { Dependencies } from '../../../core/dependencies.ts';
import { embedderView } from '../../../core/status/embedder-view.ts';
import { withoutScope } from '../../../db/driver/database.ts';
import { listWorkers, type WorkerRecord } from '../../../db/queries/jobs/workers.ts';
import type { Logger } from '../../../shared/logger.ts';
import { coalesce } from '../../../shared/resources/coalesce.ts';
import { withTimeout } from '../../../shared/resources/with-timeout.ts';
import { Health } from '../../../shared/schemas/memory.ts';
import type { Routes } from '../../types.ts';

/** Shorter than the time-out of probes, which is 3 seconds or more for most of them. */
const DATABASE_TIMEOUT_MS = 2000;

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

async function databaseAnswers({ database, logger }: Dependencies): Promise<boolean> {
  // A search writes an audit event, so it cannot be answered if the database cannot write.
  return database.canWrite() && (await withinTimeout(logger, database.query('select 1'))) !== null;
}

/** The running workers, if the service needs them for embeddings. Null if the database does not answer. */
function readWorkers({ config, database, logger }: Dependencies): Promise<WorkerRecord[] | null> {
  const workers = config.serverEmbeddings
    ? withoutScope(database, listWorkers)
    : database.query('select 1').then(() => []);
  return withinTimeout(logger, workers);
}

const Ok = Type.Object({ ok: Type.Boolean() });

/**
 * GET /v1/health, and the probes of platforms: `/livez` and `/readyz`. They are public and have no rate limit, so
 * concurrent requests share one check in the database.
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
