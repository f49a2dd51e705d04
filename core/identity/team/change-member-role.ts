import { upsertTeamMember } from '../../../db/queries/identity/members.ts';
import { hasRole, type TeamRole } from '../../../shared/access.ts';
import type { Member } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { assertActive } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { assertNotLastOwner, lockMember, revokeInvitesOfRole } from './lock-member.ts';

/** A new role of a member. */
export interface RoleChange {
  userId: string;
  role: TeamRole;
}

/**
 * Changes the role of a member of the Team. If the new role is lower, also revokes the open invites that the member can
 * no longer make, and those to the member.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can make
 *   the change, `not_found`, `team_archived`, `last_owner`
 */
export function changeMemberRole(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, role }: RoleChange,
): Promise<Member> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      const { team, member } = await lockMember(tx, userId, role);
      assertActive(team);
      return member;
    },
    apply: async (tx, member) => {
      if (member.role === role) return { result: member, audit: [] };
      await assertNotLastOwner(tx, member);
      await upsertTeamMember(tx, { teamId: scope.teamId, userId, role });
      const isLower = hasRole(member.role, role);
      const revokedInvites = isLower ? await revokeInvitesOfRole(tx, member) : [];
      const detail = { from: member.role, to: role, revokedInvites };
      return {
        result: { ...member, role },
        audit: [{ kind: 'team.member_role', subjectType: 'account', subjectId: userId, detail }],
      };
    },
  });
}
