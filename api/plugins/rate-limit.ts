import { createHash } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies } from '../../core/dependencies.ts';
import { countRequest } from '../../db/queries/identity/limits.ts';
import { type RateLimit, ServiceError } from '../../shared/errors.ts';

const WINDOW_MS = 60_000;
/** Sign-ins and uses of links by one address in a minute. The same number again for requests refused with 401. */
const MAX_BY_ADDRESS = 30;
/** How many times the limit of a session all sessions of an account have together. */
const SESSIONS_PER_ACCOUNT = 5;

/** Whom a limit counts, as text, and how many requests it allows in a minute. */
interface Limit {
  key: string;
  max: number;
}

/** How a request stands with the tightest of its limits. */
interface Standing extends RateLimit {
  remaining: number;
  exceeded: boolean;
}

/** Counts a request against its limits. Keys are hashed: no address is stored. */
async function count(
  { database }: Pick<Dependencies, 'database'>,
  limits: readonly Limit[],
): Promise<Standing> {
  const keys = limits.map(({ key }) => createHash('sha256').update(key, 'utf8').digest());
  const counts = await countRequest(database, keys, WINDOW_MS);
  const standings = limits.map(({ max }, index): Standing => {
    const { requests = 0, endsInMs = 0 } = counts[index] ?? {};
    return {
      max,
      remaining: Math.max(max - requests, 0),
      exceeded: requests > max,
      resetSeconds: Math.ceil(endsInMs / 1000),
    };
  });
  // Of two that are exceeded, the one that lasts longer tells when to come again.
  return standings.reduce((tightest, next) => {
    if (next.exceeded && tightest.exceeded)
      return next.resetSeconds > tightest.resetSeconds ? next : tightest;
    return next.exceeded || next.remaining < tightest.remaining ? next : tightest;
  });
}

function tooManyRequests({ max, resetSeconds }: RateLimit): ServiceError {
  return new ServiceError('rate_limited', `Wait ${resetSeconds} seconds before the next request`, {
    limit: { max, resetSeconds },
  });
}

function limited(
  deps: Pick<Dependencies, 'database'>,
  limitsOf: (request: FastifyRequest) => readonly Limit[],
): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const standing = await count(deps, limitsOf(request));
    if (standing.exceeded) throw tooManyRequests(standing);
    reply.headers({
      'ratelimit-limit': standing.max,
      'ratelimit-remaining': standing.remaining,
      'ratelimit-reset': standing.resetSeconds,
    });
  };
}

/** API calls of one session, or of the service token, and of its account. Runs after `signedIn`. */
export function limitedBySession(deps: Pick<Dependencies, 'database' | 'config'>): onRequestAsyncHookHandler {
  const max = deps.config.rateLimitPerMinute;
  const limit = limited(deps, ({ identity: { session, userId } }) => [
    { key: `session ${session?.id ?? 'of the service token'}`, max },
    { key: `account ${userId}`, max: SESSIONS_PER_ACCOUNT * max },
  ]);
  return async function limitSession(request, reply) {
    // If the database cannot write, requests cannot be counted. Signed-in callers can still read.
    if (deps.database.canWrite()) await limit.call(this, request, reply);
  };
}

/** Routes that check a secret of their own, together, by the address that asks; an IPv6 network counts as one. */
export function limitedByAddress(deps: Pick<Dependencies, 'database'>): onRequestAsyncHookHandler {
  return limited(deps, ({ ip }) => [{ key: `address ${normalizeIP(ip)}`, max: MAX_BY_ADDRESS }]);
}

/**
 * Counts a request that is to be refused with 401. Not together with sign-ins: a stranger who guesses tokens must not
 * keep others of the address from signing in.
 * @param address as `normalizeIP` gives it
 * @returns the refusal that replaces the 401, or null within the limit
 */
export async function limitUnauthenticated(
  deps: Pick<Dependencies, 'database'>,
  address: string,
): Promise<ServiceError | null> {
  const standing = await count(deps, [{ key: `unauthenticated ${address}`, max: MAX_BY_ADDRESS }]);
  return standing.exceeded ? tooManyRequests(standing) : null;
}
