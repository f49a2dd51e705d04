import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { matchTeams } from '../../core/identity/find-team.ts';
import type { Database } from '../../db/driver/database.ts';
import {
  type CallerLookup,
  type FoundCaller,
  resolveCaller,
  type TokenEnd,
} from '../../db/queries/identity/sessions.ts';
import type { Identity } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { isAgentToken, parseAgentToken } from '../../shared/formats/agent-token.ts';
import { isId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { hashToken, secretsEqual } from '../../shared/tokens.ts';
import { requestedTeam } from '../request/team-header.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. Set on every route with the guard `signedIn`. */
    identity: Identity;
    /** What the caller can read and write in the selected Team. Set on every route with the guard `inTeam`. */
    teamScope: TeamScope;
    /** The refusal of a caller that is over its rate limit; otherwise null. */
    overLimit: ServiceError | null;
  }
}

/** The words of a header Authorization. */
const authorizationOf = ({ headers }: FastifyRequest): string[] =>
  (headers.authorization ?? '').trim().split(/ +/);

/** Whether a request has a bearer token, valid or not. */
export function hasBearerToken(request: FastifyRequest): boolean {
  const [scheme, token] = authorizationOf(request);
  return scheme?.toLowerCase() === 'bearer' && token !== undefined;
}

/**
 * The bearer token of a request.
 * @throws ServiceError `unauthenticated` if it is missing
 */
export function bearerToken(request: FastifyRequest): string {
  const [, token, ...rest] = authorizationOf(request);
  if (hasBearerToken(request) && token !== undefined && rest.length === 0) return token;
  const expected = 'Authorization: Bearer <token>, with the token of a session or an agent token';
  throw new ServiceError(
    'unauthenticated',
    request.headers.authorization === undefined
      ? `The request has no credential; send the header ${expected}`
      : `The credential is not a bearer token; the header must be ${expected}`,
  );
}

/**
 * Finds the caller of a request in one query. It runs for every request, so a revocation applies from the next
 * request on.
 * @param windowMs counts the request in a time window of this length. Null: it is not counted
 * @param teamId id of the Team to select, in place of the one that the Memory-Team header names
 * @throws ServiceError `unauthenticated` for a missing, unknown or revoked token, `session_expired` for an expired session,
 *   `agent_token_expired` for an expired agent token
 */
export async function identify(
  request: FastifyRequest,
  database: Database,
  config: Pick<Config, 'apiToken' | 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
  windowMs: number | null,
  teamId?: string,
): Promise<FoundCaller> {
  const token = bearerToken(request);
  const presented = readToken(token, config);
  const address = normalizeIP(request.ip, 128);
  const resolve = async (team: string | null, counted: number | null) => {
    const lookup = { ...presented, teamId: team, address, windowMs: counted };
    return asFound(await resolveCaller(database, lookup, config), presented.lookupId !== null);
  };
  const named = teamId ?? requestedTeam(request);
  if (named === undefined || isId(named)) return resolve(named ?? null, windowMs);
  const found = await resolve(null, windowMs);
  // A name is looked up among the Teams of the caller, so every Team out of reach takes the same time.
  const [only, ...others] = matchTeams(found.identity.teams, named);
  if (only === undefined || others.length > 0 || only.id === found.identity.selectedTeamId) return found;
  return { ...(await resolve(only.id, null)), counts: found.counts };
}

/** @throws ServiceError as `identify` */
function asFound(found: Awaited<ReturnType<typeof resolveCaller>>, isAgent: boolean): FoundCaller {
  if (typeof found !== 'string') return found;
  if (found === 'unknown') throw unknownToken(isAgent);
  if (found === 'expired') throw new ServiceError(isAgent ? 'agent_token_expired' : 'session_expired');
  throw new ServiceError('unauthenticated', ENDED[found]);
}

const ENDED: Readonly<Record<Exclude<TokenEnd, 'expired'>, string>> = {
  revoked: 'The agent token has been revoked; ask its owner for a new one',
  replaced: 'The agent token has been revoked, because it was rotated; use its new text',
};

/** The refusal of a token that belongs to nobody. A known id with another secret is refused with the same text. */
function unknownToken(isAgent: boolean): ServiceError {
  return new ServiceError(
    'unauthenticated',
    isAgent
      ? 'The agent token is unknown; check that it was copied completely, or ask for a new one'
      : 'The token is unknown, or its session has ended; check the token, or sign in again',
  );
}

/**
 * What the database needs to find the owner of a bearer token: the service's own token, an agent token or the token of
 * a session.
 * @throws ServiceError `unauthenticated` for an agent token with a typing error
 */
function readToken(
  token: string,
  { apiToken }: Pick<Config, 'apiToken'>,
): Pick<CallerLookup, 'tokenHash' | 'lookupId'> {
  if (secretsEqual(token, apiToken)) return { tokenHash: null, lookupId: null };
  if (!isAgentToken(token)) return { tokenHash: hashToken(token), lookupId: null };
  const parts = parseAgentToken(token);
  if (parts === null) throw unknownToken(true);
  return { tokenHash: parts.secretHash, lookupId: parts.lookupId };
}

/** Declares the fields of requests that the guards set. */
export default fp(function identity(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('identity', null as unknown as Identity);
  app.decorateRequest('teamScope', null as unknown as TeamScope);
  app.decorateRequest('overLimit', null);
  done();
});
