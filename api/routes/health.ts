import type { FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Type } from 'typebox';
import { checkHealth, checkReadiness, readBuild } from '../../core/status/queries.ts';
import { ServiceError } from '../../shared/errors.ts';
import { coalesce } from '../../shared/resources/async.ts';
import { Health } from '../../shared/schemas/status.ts';
import { secretsEqual } from '../../shared/tokens.ts';
import { bearerToken } from '../http/guards.ts';
import { figuresReader, processMetrics, serviceMetrics, writableReader } from '../http/metrics.ts';
import { refusing } from '../http/openapi/declared-errors.ts';
import type { Routes } from '../types.ts';

const Ok = Type.Object({ ok: Type.Boolean() });
const Readiness = Type.Object({
  ok: Type.Boolean(),
  writes: Type.Boolean({ description: 'Whether changes can be stored.' }),
  reason: Type.Optional(
    Type.Enum(['read_only', 'no_synchronous_replica'], { description: 'Why not, if the database says so.' }),
  ),
});

/** /v1/health, /v1/openapi */
export const healthRoutes: Routes = (app, deps) => {
  const { blobs, config, database, logger } = deps;

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

  const secret = config.metricsToken ?? config.apiToken;
  const readWritable = writableReader({ database, logger });
  const readFigures = figuresReader({ config, database, logger });
  // Measures from the start of the service, so that the first scrape has values.
  processMetrics();
  app.get(
    '/metrics',
    {
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics in the text format of Prometheus',
        tags: ['system'],
        security: [{ metrics: [] }],
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
      onRequest: refusing(['unauthenticated', 'rate_limited'], async (request: FastifyRequest) => {
        if (secretsEqual(bearerToken(request), secret)) return;
        throw new ServiceError(
          'unauthenticated',
          'The token is unknown; send MEMORY_METRICS_TOKEN or, if that is unset, MEMORY_API_TOKEN',
        );
      }),
    },
    async (_request, reply) => {
      // In this order: an embedded database answers one after the other.
      const [writable, figures] = await Promise.all([readWritable(), readFigures()]);
      const all = Registry.merge([
        app.requestMetrics.registry,
        serviceMetrics(database, { writable, figures }, blobs.bucket?.requests() ?? []),
        processMetrics(),
      ]);
      return reply
        .type(all.contentType)
        .header('cache-control', 'no-store')
        .send(await all.metrics());
    },
  );

  let text: string | null = null;
  app.get(
    '/v1/openapi.json',
    {
      schema: {
        operationId: 'getOpenApi',
        summary: 'This document',
        tags: ['system'],
        response: { 200: Type.Unsafe<string>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => {
      text ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );
};
