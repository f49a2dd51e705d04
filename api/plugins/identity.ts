import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../../db/driver/database.ts';
import { type CallerLookup, type FoundCaller, resolveCaller } from '../../db/queries/identity/sessions.ts';
import type { Identity } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { isAgentToken, parseAgentToken } from '../../shared/formats/agent-token.ts';
import { isId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { hashToken, secretsEqual } from '../../shared/tokens.ts';

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

/** The Team id in the Memory-Team header, in lower case; undefined without the header. */
export function requestedTeam(request: FastifyRequest): string | undefined {
  const header = request.headers['memory-team'];
  return typeof header === 'string' ? header.trim().toLowerCase() : undefined;
}

/**
 * The bearer token of a request.
 * @throws ServiceError `unauthenticated` if it is missing
 */
export function bearerToken(request: FastifyRequest): string {
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '' || rest.length > 0) {
    throw new ServiceError('unauthenticated');
  }
  return token;
}

/**
 * Finds the caller of a request in one query. It runs for every request, so a revocation applies from the next
 * request on.
 * @param windowMs counts the request in a time window of this length. Null: it is not counted
 * @param team id of the Team to select, if it is not the one that the Memory-Team header names
 * @throws ServiceError `unauthenticated` for a missing or unknown token, `session_expired` for an expired session,
 *   `agent_token_expired` for an expired agent token
 */
export async function identify(
  request: FastifyRequest,
  database: Database,
  config: Pick<Config, 'apiToken' | 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
  windowMs: number | null,
  team = requestedTeam(request),
): Promise<FoundCaller> {
  const token = bearerToken(request);
  const teamId = team !== undefined && isId(team) ? team : null;
  const presented = readToken(token, config);
  const found = await resolveCaller(
    database,
    { ...presented, teamId, address: normalizeIP(request.ip, 128), windowMs },
    config,
  );
  if (found === 'unknown') throw new ServiceError('unauthenticated');
  if (found === 'expired') {
    throw new ServiceError(presented.lookupId === null ? 'session_expired' : 'agent_token_expired');
  }
  return found;
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
  if (parts === null) throw new ServiceError('unauthenticated');
  return { tokenHash: parts.secretHash, lookupId: parts.lookupId };
}

/** Declares the fields of requests that the guards set. */
export default fp(function identity(app: FastifyInstance, _options: object, done: () => void) {
  app.decorateRequest('identity', null as unknown as Identity);
  app.decorateRequest('teamScope', null as unknown as TeamScope);
  app.decorateRequest('overLimit', null);
  done();
});
