import { deleteClientGrant } from '../../../db/queries/identity/grants.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Revokes a grant for a client, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`
 */
export function revokeClientGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockTeamForAdmin(tx, [userId]),
    apply: async (tx) => {
      if (!(await deleteClientGrant(tx, { userId, clientId }))) throw new ServiceError('not_found');
      return {
        result: undefined,
        audit: [
          { kind: 'team.grant_revoke', subjectType: 'account', subjectId: userId, detail: { clientId } },
        ],
      };
    },
  });
}
