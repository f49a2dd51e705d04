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
     * Counts and logs a refused token or password, by address.
     * @returns the error to send: 429 instead of 401 if the address has exceeded its limit
     */
    countGuess(refusal: ServiceError, request: FastifyRequest): Promise<ServiceError>;
  }
}

/** Requests without a valid token from one address in a minute that are logged. Fewer can come from an old session. */
const LOG_THRESHOLD = 10;

/**
 * Counts guesses of tokens and passwords. It runs when a 401 is sent, and not before the token is looked up: a valid
 * token is never refused because of other callers at its address, and needs no additional query.
 */
export default fp(function guesses(
  app: FastifyInstance,
  deps: Pick<Dependencies, 'database' | 'config' | 'logger'>,
  done: () => void,
) {
  const signIns = addressLog(deps.logger, 'sign-ins failed', 1);
  const unauthenticated = addressLog(deps.logger, 'requests without a valid token', LOG_THRESHOLD);
  app.addHook('onClose', async () => {
    signIns.close();
    unauthenticated.close();
  });
  app.decorate('countGuess', async (refusal: ServiceError, request: FastifyRequest) => {
    // A caller that closed its connection no longer has an address.
    const address = normalizeIP((request.ip as string | undefined) ?? 'unknown');
    if (refusal.code === 'invalid_credentials') {
      app.requestMetrics.failedSignIn();
      signIns.record(address);
      // Wrong passwords have their own limits.
      return refusal;
    }
    if (refusal.status !== 401) return refusal;
    app.requestMetrics.unauthenticated();
    unauthenticated.record(address);
    // If the database cannot write, requests cannot be counted.
    if (!deps.config.rateLimits || !deps.database.canWrite()) return refusal;
    try {
      return (await limitUnauthenticated(deps, address)) ?? refusal;
    } catch (error) {
      // The 401 is correct even if the request could not be counted.
      request.log.warn({ err: error }, 'a request without a valid token was not counted');
      return refusal;
    }
  });
  done();
});
