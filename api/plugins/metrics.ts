import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type RequestMetrics, requestMetrics } from '../metrics/request-metrics.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts what the app answers. */
    requestMetrics: RequestMetrics;
  }
}

/** Counts every answer. Stands before whatever answers. */
export default fp(function metrics(app: FastifyInstance, _options: object, done: () => void) {
  const counted = requestMetrics();
  app.decorate('requestMetrics', counted);
  app.addHook('onResponse', async (request, reply) => {
    counted.observe({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
  });
  done();
});
