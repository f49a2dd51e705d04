import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    draining: Draining;
  }
}

/** Whether the process has been told to stop. It still accepts and answers requests until it closes. */
interface Draining {
  readonly hasBegun: boolean;
  begin(): void;
}

/**
 * From `begin` on, `/readyz` returns 503, and every response ends its connection. A load balancer then sends nothing new
 * here, and has no open connection left when the process closes.
 */
export default fp(function draining(app: FastifyInstance, _options: object, done: () => void) {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
  };
  app.decorate('draining', {
    get hasBegun() {
      return hasBegun;
    },
    begin,
  });
  app.addHook('preClose', async () => begin());
  app.addHook('onSend', async (_request, reply) => {
    if (hasBegun) reply.header('connection', 'close');
  });
  done();
});
