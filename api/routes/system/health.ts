import { Type } from 'typebox';
import { readBuild } from '../../../core/status/build.ts';
import { checkHealth, checkReadiness } from '../../../core/status/check-health.ts';
import { coalesce } from '../../../shared/resources/coalesce.ts';
import { Health } from '../../../shared/schemas/status.ts';
import type { Routes } from '../../types.ts';

const Ok = Type.Object({ ok: Type.Boolean() });
const Readiness = Type.Object({
  ok: Type.Boolean(),
  writes: Type.Boolean({ description: 'Whether changes can be stored.' }),
  reason: Type.Optional(
    Type.Enum(['read_only', 'no_synchronous_replica'], { description: 'Why not, if the database says so.' }),
  ),
});

/**
 * GET /v1/health, and the probes of platforms: `/livez` and `/readyz`. They are public and have no rate limit, so
 * concurrent requests share one check in the database.
 */
export const healthRoutes: Routes = (app, deps) => {
  const build = readBuild(deps.config);
  const checkHealthNow = coalesce(() => checkHealth(deps));
  const checkReadinessNow = coalesce(() => checkReadiness(deps));
  app.get(
    '/v1/health',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Deployment health check',
        tags: ['system'],
        security: [],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const { ok, ...health } = await checkHealthNow();
      reply.code(ok ? 200 : 503);
      return { ok, ...build, ...health };
    },
  );
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'checkLiveness',
        summary: 'The process is alive',
        tags: ['system'],
        response: { 200: Ok },
      },
    },
    async () => ({
      ok: true,
    }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'checkReadiness',
        summary: 'The process can answer requests, and will go on doing so',
        tags: ['system'],
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply) => {
      // A search writes an audit event, so none can be answered while nothing can be written.
      const readiness = await checkReadinessNow();
      const ok = readiness.writes && !app.draining.hasBegun;
      reply.code(ok ? 200 : 503);
      return { ok, ...readiness };
    },
  );
};
