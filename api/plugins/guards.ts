import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Dependencies } from '../../core/dependencies.ts';
import { managesCompany, ownsCompany, type Standing, type TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { teamScope } from '../../shared/scope.ts';
import { identify, requestedTeam } from './identity.ts';

/**
 * Guards come first in an encapsulated context of routes. Each is named for the callers that it admits. They run before
 * the body is read: a caller that they refuse learns nothing about the form of a valid body.
 */
export function signedIn({ database, config }: Dependencies): onRequestAsyncHookHandler {
  return async (request) => {
    request.identity = await identify(request, database, config);
  };
}

/** Company Owners and Admins. */
export const managingCompany: onRequestAsyncHookHandler = async (request) => {
  if (!managesCompany(request.identity)) throw new ServiceError('company_role_required');
};

/** Company Owners alone. */
export const owningCompany: onRequestAsyncHookHandler = async (request) => {
  if (!ownsCompany(request.identity)) throw new ServiceError('company_role_required');
};

/** Callers who may enter the selected Team. */
export const inTeam: onRequestAsyncHookHandler = async (request) => enterTeam(request);

function enterTeam(request: FastifyRequest): void {
  const scope = teamScope(request.identity, selectTeam(request));
  // Teams that may not be entered are not among those resolved, so this is a second look at the same rule.
  if (scope === null) throw new ServiceError('team_forbidden');
  request.teamScope = scope;
}

/**
 * Lets a request behind `inTeam` that has waited for something in once more: its caller gets what it may see now, and
 * not what it might when it asked.
 * @throws ServiceError as the guards
 */
export async function reauthenticate(
  request: FastifyRequest,
  { database, config }: Dependencies,
): Promise<void> {
  request.identity = await identify(request, database, config);
  enterTeam(request);
}

/** Callers with Full access to the selected Team. Stands behind `inTeam`. */
export const withFullAccess: onRequestAsyncHookHandler = async (request) => {
  if (request.teamScope.access !== 'full') throw new ServiceError('full_access_required');
};

/**
 * Callers who can write to a layer of the selected Team: no one else's large body is worth reading. Must run after
 * `inTeam`. Which layer a request writes to, and whether its caller can, is checked when the body is there.
 */
export const withWriteAccess: onRequestAsyncHookHandler = async ({ teamScope: { writes } }) => {
  if (!writes.team && writes.clients.length === 0) throw new ServiceError('scope_forbidden');
};

function selectTeam(request: FastifyRequest): TeamMembership {
  const { teams, selectedTeamId } = request.identity;
  const requested = requestedTeam(request);
  if (requested === undefined && teams.length > 1) throw new ServiceError('team_required');
  const team = teams.find((candidate) => candidate.id === selectedTeamId);
  // A header that names no Team at all must not count as none: the only Team would be selected in its place.
  if (team === undefined || (requested ?? team.id) !== team.id) {
    // One text for every such Team: it must not tell whether there is one.
    throw new ServiceError(
      'team_forbidden',
      'The Team is not open to you. The Memory-Team header takes the id of a Team: GET /v1/auth/session lists yours',
    );
  }
  return team;
}

/** The Team of a request behind `inTeam`, as its caller was resolved. */
export function selectedTeam(request: FastifyRequest): TeamMembership {
  const team = request.identity.teams.find((candidate) => candidate.id === request.teamScope.teamId);
  if (team === undefined) throw new ServiceError('team_forbidden');
  return team;
}

/** What ties the caller to the selected Team. */
export function standingInTeam(request: FastifyRequest): Standing {
  const { role, grant } = selectedTeam(request);
  return { companyRole: request.identity.companyRole, role, grant };
}

/**
 * Refuses a change in an archived Team. Not a hook: the state of things comes after the form of the body.
 * @throws ServiceError `team_archived`
 */
export function assertTeamActive(request: FastifyRequest): void {
  if (selectedTeam(request).state !== 'active') throw new ServiceError('team_archived');
}
