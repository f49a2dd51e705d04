import { Type } from 'typebox';
import type { Config } from '../../shared/config.ts';
import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { Health } from '../../shared/schemas/memory.ts';
import type { Routes } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';

/** How embeddings are made here: by clients, or by the service as well. */
export function embedderView(config: Pick<Config, 'serverEmbeddings' | 'embeddingModel'>) {
  return {
    mode: config.serverEmbeddings ? ('server' as const) : ('client-provided' as const),
    model: config.embeddingModel,
    dim: EMBEDDING_DIM,
    serverModeEnabled: config.serverEmbeddings,
  };
}

/** Whether the database answers. A health check is no place to wait for one that hangs. */
export async function databaseAnswers({ database, logger }: Dependencies): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the database did not answer in time')), 5000);
  });
  try {
    await Promise.race([database.query('select 1'), late]);
    return true;
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer');
    return false;
  } finally {
    clearTimeout(timer);
  }
}

const Ok = Type.Object({ ok: Type.Boolean() });

/** GET /v1/health, and the probes of platforms: alive, and ready for requests. Open to everyone. */
export const healthRoutes: Routes = (app, deps) => {
  const { config, database } = deps;
  app.get(
    '/v1/health',
    { schema: { summary: 'Deployment health check', security: [], response: { 200: Health, 503: Health } } },
    async (_request, reply) => {
      const ok = await databaseAnswers(deps);
      reply.code(ok ? 200 : 503);
      return { ok, backend: database.backend, embedder: embedderView(config) };
    },
  );
  app.get('/livez', { schema: { summary: 'The process is alive', response: { 200: Ok } } }, async () => ({
    ok: true,
  }));
  app.get(
    '/readyz',
    { schema: { summary: 'The process can answer requests', response: { 200: Ok, 503: Ok } } },
    async (_request, reply) => {
      const ok = await databaseAnswers(deps);
      reply.code(ok ? 200 : 503);
      return { ok };
    },
  );
};
