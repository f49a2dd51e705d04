import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listInvites } from '../../../db/queries/identity/invites.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { revokeInvite } from '../invites.ts';
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
      const [invite] = await listInvites(tx, teamId, ONE_ROW, id);
      assertCanEndInvite(standing, invite ?? null);
    },
    apply: (tx) => revokeInvite(tx, teamId, id),
  });
}
