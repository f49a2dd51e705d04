import { type Identity, type TeamMembership, teamAccess } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { hasPermission, type RoutePermission, requirePermission } from '../../shared/permissions.ts';
import { requireRight, type TeamScope } from '../../shared/scope.ts';
import type { Tool } from './tool.ts';

type Needs = Pick<Tool, 'permission' | 'needs' | 'needsTeam'>;

/**
 * Requires that the caller can use a tool in a Team.
 * @throws ServiceError `permission_required`, `full_access_required`, `scope_forbidden`
 */
export function requireTool(
  { permission, needs }: Needs,
  { token }: Identity,
  scope: TeamScope | null,
): void {
  if (token !== null) requirePermission(token, permission);
  if (scope === null) return;
  if (needs === 'full') requireRight(scope, 'decideMemories');
  if (needs === 'write' && scope.writes.length === 0) {
    throw new ServiceError('scope_forbidden', 'You can only read in this Team; nothing can be stored');
  }
}

/** Whether the credential of a caller permits something: an agent token if it has the permission, a person always. */
export function isPermitted({ token }: Identity, permission: RoutePermission): boolean {
  return token === null || hasPermission(token, permission);
}

/** Whether a tool is in the list of a caller: whether it can use the tool in any of its Teams. */
export function isListed(tool: Needs, identity: Identity): boolean {
  if (!isPermitted(identity, tool.permission)) return false;
  return !tool.needsTeam || identity.teams.some((team) => canUseIn(tool, identity, team));
}

function canUseIn({ needs }: Needs, { companyRole }: Identity, team: TeamMembership): boolean {
  const access = teamAccess(companyRole, team);
  if (needs === 'full') return access === 'full';
  return needs === 'write' ? access === 'full' || access === 'member' : access !== null;
}
