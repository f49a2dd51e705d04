import { findClientGrant, upsertClientGrant } from '../../../db/queries/identity/grants.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { ClientGrant } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { assertActive, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Gives a member access to an active client, or changes that access.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found` if the person is not a
 *   member or the client does not exist, `team_archived`
 */
export function giveClientGrant(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { userId, clientId, access }: Pick<ClientGrant, 'userId' | 'clientId' | 'access'>,
): Promise<ClientGrant> {
  const { teamId } = scope;
  return runCommand(database, scope, {
    lock: (tx) => lockTeamForAdmin(tx, [userId]),
    apply: async (tx, team) => {
      const present = await findClientGrant(tx, { teamId, userId, clientId });
      const grant = await upsertClientGrant(tx, { teamId, userId, clientId, access });
      if (grant === null) throw new ServiceError('not_found');
      // After the 404: only the upsert knows whether both exist. A refusal rolls it back.
      assertActive(team);
      if (present === access) return { result: grant, audit: [] };
      return {
        result: grant,
        audit: [
          { kind: 'team.grant', subjectType: 'account', subjectId: userId, detail: { clientId, access } },
        ],
      };
    },
  });
}
