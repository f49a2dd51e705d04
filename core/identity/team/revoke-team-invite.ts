import type { TeamScope } from '../../../shared/scope.ts';
import { lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireInvite, revokeInvite } from '../invites.ts';
import { assertCanEndInvite } from './owner-rights.ts';

/**
 * Revokes an open invite into the Team, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can
 *   revoke it, `not_found`, `conflict` if it is not open
 */
export function revokeTeamInvite(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: async (tx) => {
      const { standing } = await lockTeamForAdmin(tx);
      const invite = await requireInvite(tx, teamId, id);
      assertCanEndInvite(standing, invite);
      return invite;
    },
    apply: (tx, invite) => revokeInvite(tx, teamId, invite),
  });
}
