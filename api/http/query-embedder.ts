import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Dependencies } from '../../core/dependencies.ts';
import { openQueryEmbedder, type QueryEmbedder } from '../../core/search/query-vector.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the vectors of queries, for every route that searches. */
    queryEmbedder: QueryEmbedder;
  }
}

/** Opens the embedder of queries, and closes it with the app. */
export default fp(function queryEmbedder(app: FastifyInstance, deps: Dependencies, done: () => void) {
  const embedder = openQueryEmbedder(deps);
  app.decorate('queryEmbedder', embedder);
  // Before the server waits for running requests: those that wait for a vector are answered without one.
  app.addHook('preClose', () => embedder.close());
  done();
});
