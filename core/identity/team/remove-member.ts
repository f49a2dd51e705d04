import { deleteTeamMember } from '../../../db/queries/identity/members.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeLostTokens } from '../tokens/revoke-lost-tokens.ts';
import { assertNotLastOwner, lockMember, revokeInvitesOfRole } from './lock-member.ts';

/**
 * Removes a member from the Team, with the grants for its clients, in an archived Team too. Agent tokens of the member end,
 * unless the member still has access by a role in the Company.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `forbidden` if only an
 *   Owner can make the change, `last_owner`
 */
export function removeMember(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  userId: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockMember(tx, userId, null),
    apply: async (tx, { member }) => {
      await assertNotLastOwner(tx, member);
      await deleteTeamMember(tx, userId);
      const detail = { role: member.role, revokedInvites: await revokeInvitesOfRole(tx, member) };
      return {
        result: undefined,
        audit: [
          { kind: 'team.member_remove', subjectType: 'account', subjectId: userId, detail },
          ...(await revokeLostTokens(tx, userId)),
        ],
      };
    },
  });
}
