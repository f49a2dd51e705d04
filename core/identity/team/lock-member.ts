import type { TeamTransaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { revokeInvitesTo } from '../../../db/queries/identity/invites.ts';
import { countTeamMembers, listTeamMembers } from '../../../db/queries/identity/members.ts';
import type { TeamRole } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Member, Team } from '../../../shared/schemas/identity.ts';
import { lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { revokeUnauthorizedInvites } from '../invites.ts';
import { assertCanChangeRole } from './owner-rights.ts';

/**
 * Locks the Team of a member whose role is to change, and requires that the caller can change it.
 * @param to the new role, or null to end the membership
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `forbidden`
 */
export async function lockMember(
  tx: TeamTransaction,
  userId: string,
  to: TeamRole | null,
): Promise<{ team: Team; member: Member }> {
  const team = await lockTeamForAdmin(tx, [userId]);
  const [member] = await listTeamMembers(tx, ONE_ROW, userId);
  if (member === undefined) throw new ServiceError('not_found');
  assertCanChangeRole(team.standing, member.role, to);
  return { team, member };
}

/**
 * Refuses to end the role of the last Team Owner. Lock the Team before: otherwise two Owners could demote each other.
 * @throws ServiceError `last_owner`
 */
export async function assertNotLastOwner(tx: TeamTransaction, { role }: Member): Promise<void> {
  if (role === 'owner' && (await countTeamMembers(tx)).owners <= 1) throw new ServiceError('last_owner');
}

/**
 * Revokes the invites that end with a role: those that the member can no longer make, and those to the member, which
 * would give the role again.
 * @returns their ids, for the audit event of the change
 */
export async function revokeInvitesOfRole(tx: TeamTransaction, { userId, email }: Member): Promise<string[]> {
  const { teamId } = tx.scope;
  return [
    ...(await revokeUnauthorizedInvites(tx, userId)),
    ...(await revokeInvitesTo(tx, { email, teamId })),
  ];
}
