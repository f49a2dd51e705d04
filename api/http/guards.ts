import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import type { Dependencies } from '../../core/dependencies.ts';
import { matchTeams } from '../../core/teams/queries.ts';
import type { Database } from '../../db/driver/database.ts';
import { isChangeRefused } from '../../db/driver/faults.ts';
import {
  type CallerLookup,
  type FoundCaller,
  resolveCaller,
  type TokenEnd,
} from '../../db/queries/accounts/sessions.ts';
import {
  type Identity,
  isServiceToken,
  managesCompany,
  ownsCompany,
  type TeamMembership,
  type TeamRight,
} from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { isAgentToken, parseAgentToken } from '../../shared/formats/agent-token.ts';
import { isId } from '../../shared/ids.ts';
import { type RoutePermission, requirePermission } from '../../shared/permissions.ts';
import { requireRight, type TeamScope, teamScope } from '../../shared/scope.ts';
import { hashToken, secretsEqual } from '../../shared/tokens.ts';
import { type CookieConfig, cookieToken } from './console-cookie.ts';
import { limitCaller, WINDOW_MS } from './limits.ts';
import { declareErrors, type Refusing, refusing } from './openapi/declared-errors.ts';
import { requestedTeam } from './requests.ts';

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
async function identify(
  request: FastifyRequest,
  database: Database,
  config: CookieConfig & Pick<Config, 'apiToken' | 'sessionIdleSeconds'>,
  windowMs: number | null,
  teamId?: string,
): Promise<FoundCaller> {
  const cookie = cookieToken(request, config);
  // A cookie is the token of a session and of nothing else.
  const presented =
    cookie === null
      ? readToken(bearerToken(request), config)
      : { tokenHash: hashToken(cookie), lookupId: null };
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

/** A guard, and the codes that it refuses callers with. */
export type Guard = Refusing<onRequestAsyncHookHandler>;

/**
 * Guards are the first hooks of a context of routes. Each is named for the callers that it admits. They run before
 * the body is read, so a caller that is refused does not learn what a valid body is.
 */
export function signedIn({ database, config }: Dependencies): Guard {
  return refusing(
    ['unauthenticated', 'session_expired', 'agent_token_expired', 'rate_limited'],
    async (request, reply) => {
      // If the database cannot write, requests cannot be counted. Signed-in callers can still read.
      const isCounted = config.rateLimits && database.canWrite();
      const find = (windowMs: number | null) => identify(request, database, config, windowMs);
      const { identity, counts } = await find(isCounted ? WINDOW_MS : null).catch((error: unknown) => {
        // While the request waited, the database stopped accepting changes.
        if (isCounted && isChangeRefused(error) && !database.canWrite()) return find(null);
        throw error;
      });
      request.identity = identity;
      if (counts === null) return;
      request.overLimit = limitCaller(reply, counts, config);
      const { answersOverLimit = false } = request.routeOptions.config;
      if (request.overLimit !== null && !answersOverLimit) throw request.overLimit;
    },
  );
}

/** Signed-in callers, when a request is checked again. It was counted when it arrived. */
export function stillSignedIn({ database, config }: Dependencies): onRequestAsyncHookHandler {
  return async (request) => {
    ({ identity: request.identity } = await identify(request, database, config, null));
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an agent token needs for the route. Without it, the route refuses every agent token. */
    permission?: RoutePermission;
    /** Whether the route itself answers a caller over its rate limit: see `request.overLimit`. */
    answersOverLimit?: true;
  }
}

/** People, the service token, and agent tokens with the permission of the route. Must run after `signedIn`. */
export const withinToken: Guard = refusing([], async ({ identity, routeOptions }) => {
  if (identity.token !== null) requirePermission(identity.token, routeOptions.config.permission);
});

/** Declares the code with which `withinToken` refuses: it depends on the permission of the route. */
export function declareTokenErrors(route: RouteOptions): void {
  const permission = route.config?.permission;
  if (permission === undefined) declareErrors(route, ['forbidden']);
  else if (permission !== 'any') declareErrors(route, ['permission_required']);
}

/** Company Owners and Admins. */
export const managingCompany: Guard = refusing(['company_role_required'], async (request) => {
  if (!managesCompany(request.identity)) throw new ServiceError('company_role_required');
});

/** Only Company Owners. */
export const owningCompany: Guard = refusing(['company_role_required'], async (request) => {
  if (!ownsCompany(request.identity)) throw new ServiceError('company_role_required');
});

/** Only the service's own token. */
export const operating: Guard = refusing(['forbidden'], async ({ identity }) => {
  if (!isServiceToken(identity))
    throw new ServiceError('forbidden', "Only the service's own token, MEMORY_API_TOKEN, can use this route");
});

/** Callers with access to the selected Team. */
export const inTeam: Guard = refusing(['team_required', 'team_forbidden'], async (request) =>
  setTeamScope(request),
);

function setTeamScope(request: FastifyRequest): void {
  const scope = teamScope(request.identity, selectTeam(request));
  // `identity.teams` has only Teams that the caller has access to, so this checks the same rule a second time.
  if (scope === null) throw new ServiceError('team_forbidden');
  request.teamScope = scope;
}

/**
 * Authorizes a request again after it has waited, so that the answer is what the caller can read now, and not what it
 * could read at the time of the request. Only for routes with the guard `inTeam`.
 * @throws ServiceError as the guards do
 */
export async function reauthenticate(
  request: FastifyRequest,
  { database, config }: Dependencies,
): Promise<void> {
  ({ identity: request.identity } = await identify(request, database, config, null));
  setTeamScope(request);
}

/** A caller in one of its Teams. */
export interface TeamCaller {
  team: TeamMembership;
  scope: TeamScope;
}

/**
 * The caller of a tool in a Team that can be another one than the request selected. The caller is then resolved again,
 * because an identity has the clients of one Team. A program writes what a tool stores, whatever its credential.
 * @param recheck resolves the caller again in any case, after a wait
 * @throws ServiceError as the guards do
 */
export async function callerInTeam(
  request: FastifyRequest,
  { database, config }: Pick<Dependencies, 'database' | 'config'>,
  teamId: string,
  recheck = false,
): Promise<TeamCaller> {
  const identity =
    !recheck && request.identity.selectedTeamId === teamId
      ? request.identity
      : (await identify(request, database, config, null, teamId)).identity;
  const team = identity.teams.find(({ id }) => id === teamId);
  const scope =
    team === undefined || identity.selectedTeamId !== teamId ? null : teamScope(identity, team, true);
  if (team === undefined || scope === null) throw new ServiceError('team_forbidden');
  return { team, scope };
}

/** Callers with a right in the selected Team. Must run after `inTeam`. */
export function withRight(right: TeamRight): Guard {
  return refusing(['full_access_required'], async ({ teamScope }) => requireRight(teamScope, right));
}

/**
 * Callers who can write to at least one layer of the selected Team, so that no large body is read from other callers.
 * Must run after `inTeam`. The operation checks the layer of the request, when the body has been read.
 */
export const withWriteAccess: Guard = refusing(['scope_forbidden'], async ({ teamScope: { writes } }) => {
  if (writes.length === 0) throw new ServiceError('scope_forbidden');
});

function selectTeam(request: FastifyRequest): TeamMembership {
  const { teams, selectedTeamId } = request.identity;
  const requested = requestedTeam(request);
  const [team, ...others] = requested === undefined ? teams : matchTeams(teams, requested);
  if (others.length > 0) {
    throw requested === undefined
      ? new ServiceError('team_required')
      : new ServiceError(
          'team_required',
          'Several of your Teams have this name; set the Memory-Team header to the id of one of them',
        );
  }
  if (team === undefined || team.id !== selectedTeamId) {
    // The same text whether or not the Team exists, so that it does not reveal which Teams exist.
    throw new ServiceError(
      'team_forbidden',
      'You do not have access to this Team. Set the Memory-Team header to the id or the name of a Team that GET /v1/auth/session lists',
    );
  }
  return team;
}

/** The selected Team, with the caller's role and grant. Only for routes with the guard `inTeam`. */
export function selectedTeam(request: FastifyRequest): TeamMembership {
  const team = request.identity.teams.find((candidate) => candidate.id === request.teamScope.teamId);
  if (team === undefined) throw new ServiceError('team_forbidden');
  return team;
}

/**
 * Refuses a request in an archived Team that would not reach the lock of its command, which checks this.
 * @throws ServiceError `team_archived`
 */
export function assertTeamActive(request: FastifyRequest): void {
  if (selectedTeam(request).state !== 'active') throw new ServiceError('team_archived');
}
