import {
  canAppointTeamOwners,
  canChangeTeamRole,
  type Standing,
  type TeamRole,
} from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';

/*
 * Team Owners are appointed, changed and removed only by Owners of the Team or of the Company.
 */

/**
 * Refuses a change of a role that only Owners can make.
 * @param from the present role
 * @param to the new role, or null to end the membership
 * @throws ServiceError `forbidden`
 */
export function assertCanChangeRole(caller: Standing, from: TeamRole, to: TeamRole | null): void {
  if (!canChangeTeamRole(caller, from, to)) {
    throw new ServiceError('forbidden', 'Only Owners can appoint, change or remove a Team Owner');
  }
}

/**
 * Refuses to replace or revoke the invite of a Team Owner.
 * @param invite the invite that would end, or null without one
 * @throws ServiceError `forbidden`
 */
export function assertCanEndInvite(caller: Standing, invite: { role: TeamRole } | null): void {
  if (invite?.role === 'owner' && !canAppointTeamOwners(caller)) {
    throw new ServiceError('forbidden', 'Only Owners can replace or revoke the invite of a Team Owner');
  }
}
