import { createHash } from 'node:crypto';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Dependencies } from '../../core/dependencies.ts';
import { countRequest, type RequestCount, type RequestCounts } from '../../db/queries/accounts/sessions.ts';
import type { Config } from '../../shared/config.ts';
import { type RateLimit, ServiceError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { type Refusing, refusing } from './openapi/declared-errors.ts';

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
async function limitUnauthenticated(
  deps: Pick<Dependencies, 'database'>,
  address: string,
): Promise<ServiceError | null> {
  const state = await countByAddress(deps, `unauthenticated ${address}`);
  return state.exceeded ? tooManyRequests(state) : null;
}

/**
 * The most addresses that are counted separately. All others count as one, so that a botnet cannot exhaust the
 * memory.
 */
const MAX_ADDRESSES = 1000;

/** The events of one address since its last log line. */
interface Entry {
  count: number;
  logged: boolean;
  timer: NodeJS.Timeout;
}

/** Logs events by address. */
export interface AddressLog {
  record(address: string): void;
  /** Logs the events that were counted since the last lines. */
  close(): void;
}

/**
 * Logs a warning with an address and the count of its events: at the `threshold`th event within a minute, and then
 * once a minute while the events continue. An IPv6 network of 64 bits counts as one address.
 */
export function addressLog(logger: Logger, message: string, threshold: number): AddressLog {
  const entries = new Map<string, Entry>();

  function emit(address: string, entry: Entry): void {
    logger.warn({ address, count: entry.count }, message);
    entry.count = 0;
    entry.logged = true;
  }

  function startWindow(address: string): NodeJS.Timeout {
    return setTimeout(() => endWindow(address), WINDOW_MS).unref();
  }

  function endWindow(address: string): void {
    const entry = entries.get(address);
    if (entry === undefined) return;
    if (entry.logged && entry.count > 0) {
      emit(address, entry);
      entry.timer = startWindow(address);
    } else {
      entries.delete(address);
    }
  }

  return {
    record: (from) => {
      const known = normalizeIP(from);
      const address = entries.has(known) || entries.size < MAX_ADDRESSES ? known : 'others';
      const entry = entries.get(address) ?? { count: 0, logged: false, timer: startWindow(address) };
      entries.set(address, entry);
      entry.count += 1;
      if (entry.logged || entry.count < threshold) return;
      emit(address, entry);
      clearTimeout(entry.timer);
      entry.timer = startWindow(address);
    },
    close: () => {
      for (const [address, entry] of entries) {
        clearTimeout(entry.timer);
        if (entry.logged && entry.count > 0) emit(address, entry);
      }
      entries.clear();
    },
  };
}

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
