import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { type RequestMetrics, requestMetrics } from '../metrics/request-metrics.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of the app's requests. */
    requestMetrics: RequestMetrics;
  }
}

/** Counts every answer. Register it before the plugins and routes that answer. */
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
