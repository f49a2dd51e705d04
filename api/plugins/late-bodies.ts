import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether so much time went by until the body was there that guards must look again. */
    bodyWasLate: boolean;
  }
}

/** Within this a request counts as one moment; beyond it, its caller may have lost what it was let in by. */
export const MOMENT_MS = 1000;

function whenLate(hook: onRequestAsyncHookHandler): onRequestAsyncHookHandler {
  return async function again(request: FastifyRequest, reply) {
    if (request.bodyWasLate) await hook.call(this, request, reply);
  };
}

/**
 * Sets a guard before a scope of routes: it runs when a request comes, before the body is read, and once more when
 * the body was long in coming. A caller could else send the head of a request, have its rights taken, and use
 * them minutes later by sending the rest.
 */
export function guard(scope: FastifyInstance, hook: onRequestAsyncHookHandler): void {
  scope.addHook('onRequest', hook);
  scope.addHook('preValidation', whenLate(hook));
}

/** Has the guards of single routes run again in the same way. */
export default fp(function lateBodies(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('bodyWasLate', false);
  app.addHook('preValidation', async (request, reply) => {
    request.bodyWasLate = reply.elapsedTime > MOMENT_MS;
  });
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return;
    const guards = [route.onRequest ?? []].flat() as onRequestAsyncHookHandler[];
    // Before the body's form is looked at, as when the request came.
    route.preValidation = [...guards.map(whenLate), ...[route.preValidation ?? []].flat()];
  });
  done();
});
