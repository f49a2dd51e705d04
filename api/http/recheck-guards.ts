import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Guard } from './guards.ts';
import { declareErrorsWithin } from './openapi/declared-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the body arrived so late that the guards must check again. */
    bodyWasLate: boolean;
  }
}

/** If the body takes longer than this, the caller may have lost its access since the guards ran. */
export const RECHECK_AFTER_MS = 1000;

function ifBodyWasLate(hook: onRequestAsyncHookHandler): onRequestAsyncHookHandler {
  return async function again(request: FastifyRequest, reply) {
    if (request.bodyWasLate) await hook.call(this, request, reply);
  };
}

/**
 * Adds a guard to a context of routes. It runs when a request arrives, before the body is read, and again if the body
 * was late. Otherwise a caller could send the head of a request, lose its access, and still use it minutes later by
 * sending the body.
 * @param recheck runs in place of `hook` if the body was late
 */
export function addGuard(app: FastifyInstance, hook: Guard, recheck: onRequestAsyncHookHandler = hook): void {
  declareErrorsWithin(app, hook.errors);
  app.addHook('onRequest', hook);
  app.addHook('preValidation', ifBodyWasLate(recheck));
}

/** Runs the guards of single routes again if the body was late. */
export default fp(function recheckGuards(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('bodyWasLate', false);
  app.addHook('preValidation', async (request, reply) => {
    request.bodyWasLate = reply.elapsedTime > RECHECK_AFTER_MS;
  });
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return;
    const guards = [route.onRequest ?? []].flat() as onRequestAsyncHookHandler[];
    // The guards run before the body is validated, as they did when the request arrived.
    route.preValidation = [...guards.map(ifBodyWasLate), ...[route.preValidation ?? []].flat()];
  });
  done();
});
