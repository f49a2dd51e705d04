import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Dependencies } from '../../core/dependencies.ts';
import type { ServiceError } from '../../shared/errors.ts';
import { addressLog } from '../address-log.ts';
import { limitUnauthenticated } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Counts and logs a refusal of a token or a password that was wrong, by address.
     * @returns the refusal to send: 429 in place of the 401 of an address that is beyond its limit
     */
    countGuess(refusal: ServiceError, request: FastifyRequest): Promise<ServiceError>;
  }
}

/** Requests without a valid token from one address in a minute that are worth a line: fewer are an old session. */
const BURST = 10;

/**
 * Watches over guesses. Runs where a refusal is sent, and not before the token is looked up: a valid one is never
 * refused for what others of its address do, and costs nothing more.
 */
export default fp(function guesses(
  app: FastifyInstance,
  deps: Pick<Dependencies, 'database' | 'config' | 'logger'>,
  done: () => void,
) {
  const signIns = addressLog(deps.logger, 'sign-ins failed', 1);
  const unauthenticated = addressLog(deps.logger, 'requests without a valid token', BURST);
  app.addHook('onClose', async () => {
    signIns.close();
    unauthenticated.close();
  });
  app.decorate('countGuess', async (refusal: ServiceError, request: FastifyRequest) => {
    // A client that closed its connection no longer has an address.
    const address = normalizeIP((request.ip as string | undefined) ?? 'unknown');
    if (refusal.code === 'invalid_credentials') {
      app.requestMetrics.failedSignIn();
      signIns.note(address);
      // A wrong password has limits of its own.
      return refusal;
    }
    if (refusal.status !== 401) return refusal;
    app.requestMetrics.unauthenticated();
    unauthenticated.note(address);
    // Where nothing can be stored, nothing can be counted.
    if (!deps.config.rateLimits || !deps.database.canWrite()) return refusal;
    try {
      return (await limitUnauthenticated(deps, address)) ?? refusal;
    } catch (error) {
      // What is wrong with the request is known without the database.
      request.log.warn({ err: error }, 'a request without a valid token was not counted');
      return refusal;
    }
  });
  done();
});
