import type { FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Type } from 'typebox';
import { ServiceError } from '../../../shared/errors.ts';
import { secretsEqual } from '../../../shared/tokens.ts';
import { processMetrics } from '../../metrics/process-metrics.ts';
import { figuresReader, writableReader } from '../../metrics/service-figures.ts';
import { serviceMetrics } from '../../metrics/service-metrics.ts';
import { refusing } from '../../openapi/declared-errors.ts';
import { bearerToken } from '../../plugins/identity.ts';
import type { Routes } from '../../types.ts';

/** GET /metrics: metrics of the service, for Prometheus. Requires the metrics token; a session token is refused. */
export const metricsRoute: Routes = (app, { blobs, config, database, logger }) => {
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
};
