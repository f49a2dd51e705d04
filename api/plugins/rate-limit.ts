import { createHash } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies } from '../../core/dependencies.ts';
import { countRequest, type RequestCount } from '../../db/queries/identity/limits.ts';
import type { RequestCounts } from '../../db/queries/identity/sessions.ts';
import type { Config } from '../../shared/config.ts';
import { type RateLimit, ServiceError } from '../../shared/errors.ts';
import { type Refusing, refusing } from '../openapi/declared-errors.ts';

/** The length of a time window, which begins with its first request. */
export const WINDOW_MS = 60_000;
/**
 * Requests to sign-in and link routes by one address in a minute. Requests refused with 401 have another limit as
 * large.
 */
const MAX_BY_ADDRESS = 30;
/** The limit of an account, as a multiple of the limit of one session. */
const SESSIONS_PER_ACCOUNT = 5;

/** The state of a limit of a request. */
interface LimitState extends RateLimit {
  remaining: number;
  exceeded: boolean;
}

function stateOf({ requests, endsInMs }: RequestCount, max: number): LimitState {
  return {
    max,
    remaining: Math.max(max - requests, 0),
    exceeded: requests > max,
    resetSeconds: Math.ceil(endsInMs / 1000),
  };
}

/** The tighter one of two limits. If both are exceeded, the caller must wait for the one that resets later. */
function tighter(one: LimitState, other: LimitState): LimitState {
  if (one.exceeded && other.exceeded) return other.resetSeconds > one.resetSeconds ? other : one;
  return other.exceeded || other.remaining < one.remaining ? other : one;
}

function tooManyRequests({ max, resetSeconds }: RateLimit): ServiceError {
  return new ServiceError('rate_limited', `Wait ${resetSeconds} seconds before the next request`, {
    limit: { max, resetSeconds },
  });
}

/** The refusal of a request that exceeds its limit. Otherwise its answer says how much of the limit is left. */
function enforce(reply: FastifyReply, state: LimitState): ServiceError | null {
  if (state.exceeded) return tooManyRequests(state);
  reply.headers({
    'ratelimit-limit': state.max,
    'ratelimit-remaining': state.remaining,
    'ratelimit-reset': state.resetSeconds,
  });
  return null;
}

/**
 * Limits the requests of a session, of an agent token or of the service token, and of its account.
 * @param counts with this request, as the query that found the caller has counted it
 * @returns the refusal `rate_limited`; null within the limits
 */
export function limitCaller(
  reply: FastifyReply,
  [session, account]: RequestCounts,
  { rateLimitPerMinute: max }: Pick<Config, 'rateLimitPerMinute'>,
): ServiceError | null {
  return enforce(reply, tighter(stateOf(session, max), stateOf(account, SESSIONS_PER_ACCOUNT * max)));
}

/** Counts a request by address. The key is hashed: no address is stored. */
async function countByAddress(
  { database }: Pick<Dependencies, 'database'>,
  key: string,
): Promise<LimitState> {
  const hash = createHash('sha256').update(key, 'utf8').digest();
  const [count] = await countRequest(database, [hash], WINDOW_MS);
  if (count === undefined) throw new Error('the request was not counted');
  return stateOf(count, MAX_BY_ADDRESS);
}

/**
 * Limits by address the requests to routes that check their own secret, counted together. An IPv6 network counts as
 * one.
 */
export function limitedByAddress(deps: Pick<Dependencies, 'database'>): Refusing<onRequestAsyncHookHandler> {
  return refusing(['rate_limited'], async ({ ip }, reply) => {
    const refusal = enforce(reply, await countByAddress(deps, `address ${normalizeIP(ip)}`));
    if (refusal !== null) throw refusal;
  });
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
  const state = await countByAddress(deps, `unauthenticated ${address}`);
  return state.exceeded ? tooManyRequests(state) : null;
}
