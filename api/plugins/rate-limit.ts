import { createHash } from 'node:crypto';
import { callbackify } from 'node:util';
import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../../db/database.ts';
import { countRequest } from '../../db/queries/limits.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';

const WINDOW_MS = 60_000;
/** Sign-ins and uses of links by one address in a minute. */
const MAX_BY_ADDRESS = 30;

/** Counts in the database, so that all API processes count as one. Keys are hashed: no address is kept. */
function databaseStore(database: Database) {
  const count = callbackify(async (key: string, windowMs: number) => {
    const hash = createHash('sha256').update(key, 'utf8').digest();
    const { requests, endsInMs } = await countRequest(database, hash, windowMs);
    return { current: requests, ttl: endsInMs };
  });
  return class DatabaseStore implements FastifyRateLimitStore {
    incr(...[key, callback, windowMs]: Parameters<FastifyRateLimitStore['incr']>): void {
      count(key, windowMs, callback);
    }

    child(): FastifyRateLimitStore {
      return this;
    }
  };
}

/** Makes limits of requests; `limitedBySession` and `limitedByAddress` set them where they apply. */
export default fp(async function limits(app: FastifyInstance, { database }: { database: Database }) {
  await app.register(rateLimit, {
    global: false,
    enableDraftSpec: true,
    store: databaseStore(database),
    errorResponseBuilder: (_request, { max, ttl, after }) =>
      new ServiceError('rate_limited', `Try again in ${after}`, {
        limit: { max, resetSeconds: Math.ceil(ttl / 1000) },
      }),
  });
});

/** API calls of one session, or of the service token. Stands behind `signedIn`. */
export function limitedBySession(
  app: FastifyInstance,
  { rateLimitPerMinute }: Pick<Config, 'rateLimitPerMinute'>,
): onRequestAsyncHookHandler {
  return app.rateLimit({
    max: rateLimitPerMinute,
    timeWindow: WINDOW_MS,
    keyGenerator: ({ identity }) => `session ${identity.session?.id ?? 'of the service token'}`,
  }) as onRequestAsyncHookHandler;
}

/** Routes that check a secret of their own, together, by the address that asks; an IPv6 network counts as one. */
export function limitedByAddress(app: FastifyInstance): onRequestAsyncHookHandler {
  return app.rateLimit({
    max: MAX_BY_ADDRESS,
    timeWindow: WINDOW_MS,
    keyGenerator: ({ ip }) => `address ${normalizeIP(ip)}`,
  }) as onRequestAsyncHookHandler;
}
