import { insertClient } from '../../../db/queries/identity/clients.ts';
import { newId } from '../../../shared/ids.ts';
import type { Client } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { assertActive, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { clientNameTaken } from '../taken-names.ts';

/**
 * Creates a client of the Team.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `team_archived`,
 *   `conflict` if an active client has the name
 */
export function createClient(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  name: string,
): Promise<Client> {
  return runCommand(database, scope, {
    lock: async (tx) => assertActive(await lockTeamForAdmin(tx)),
    apply: async (tx) => {
      const client = await insertClient(tx, { id: newId(), name });
      if (client === null) throw clientNameTaken();
      return {
        result: client,
        audit: [{ kind: 'team.client_create', subjectType: 'client', subjectId: client.id }],
      };
    },
  });
}
