import { createHash } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies } from '../../core/dependencies.ts';
import { countRequest } from '../../db/queries/identity/limits.ts';
import { type RateLimit, ServiceError } from '../../shared/errors.ts';

const WINDOW_MS = 60_000;
/**
 * Requests to sign-in and link routes by one address in a minute. Requests refused with 401 have another limit as
 * large.
 */
const MAX_BY_ADDRESS = 30;
/** The limit of an account, as a multiple of the limit of one session. */
const SESSIONS_PER_ACCOUNT = 5;

/** The caller that a limit counts, as text, and how many requests it allows in a minute. */
interface Limit {
  key: string;
  max: number;
}

/** The state of the tightest limit of a request. */
interface LimitState extends RateLimit {
  remaining: number;
  exceeded: boolean;
}

/** Counts a request against its limits. Keys are hashed: no address is stored. */
async function count(
  { database }: Pick<Dependencies, 'database'>,
  limits: readonly Limit[],
): Promise<LimitState> {
  const keys = limits.map(({ key }) => createHash('sha256').update(key, 'utf8').digest());
  const counts = await countRequest(database, keys, WINDOW_MS);
  const states = limits.map(({ max }, index): LimitState => {
    const { requests = 0, endsInMs = 0 } = counts[index] ?? {};
    return {
      max,
      remaining: Math.max(max - requests, 0),
      exceeded: requests > max,
      resetSeconds: Math.ceil(endsInMs / 1000),
    };
  });
  // If two limits are exceeded, the caller must wait for the one that resets later.
  return states.reduce((tightest, next) => {
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

function limitedBy(
  deps: Pick<Dependencies, 'database'>,
  limitsOf: (request: FastifyRequest) => readonly Limit[],
): onRequestAsyncHookHandler {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const state = await count(deps, limitsOf(request));
    if (state.exceeded) throw tooManyRequests(state);
    reply.headers({
      'ratelimit-limit': state.max,
      'ratelimit-remaining': state.remaining,
      'ratelimit-reset': state.resetSeconds,
    });
  };
}

/** Limits the requests of a session, or of the service token, and of its account. Must run after `signedIn`. */
export function limitedBySession(deps: Pick<Dependencies, 'database' | 'config'>): onRequestAsyncHookHandler {
  const max = deps.config.rateLimitPerMinute;
  const limit = limitedBy(deps, ({ identity: { session, userId } }) => [
    { key: `session ${session?.id ?? 'of the service token'}`, max },
    { key: `account ${userId}`, max: SESSIONS_PER_ACCOUNT * max },
  ]);
  return async function limitSession(request, reply) {
    // If the database cannot write, requests cannot be counted. Signed-in callers can still read.
    if (deps.database.canWrite()) await limit.call(this, request, reply);
  };
}

/**
 * Limits by address the requests to routes that check their own secret, counted together. An IPv6 network counts as
 * one.
 */
export function limitedByAddress(deps: Pick<Dependencies, 'database'>): onRequestAsyncHookHandler {
  return limitedBy(deps, ({ ip }) => [{ key: `address ${normalizeIP(ip)}`, max: MAX_BY_ADDRESS }]);
}

/**
 * Counts a request that will be refused with 401. Sign-ins have a separate limit: a stranger who guesses tokens must
 * not prevent others at the same address from signing in.
 * @param address the result of `normalizeIP`
 * @returns the 429 that replaces the 401, or null within the limit
 */
export async function limitUnauthenticated(
  deps: Pick<Dependencies, 'database'>,
  address: string,
): Promise<ServiceError | null> {
  const state = await count(deps, [{ key: `unauthenticated ${address}`, max: MAX_BY_ADDRESS }]);
  return state.exceeded ? tooManyRequests(state) : null;
}
