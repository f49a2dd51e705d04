import type { Static } from 'typebox';
import { isClientNameTaken, updateClient } from '../../../db/queries/identity/clients.ts';
import type { Client, ClientChange } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { clientNameTaken } from '../taken-names.ts';
import { lockClient } from './lock-client.ts';

type Change = Static<typeof ClientChange>;

/**
 * Renames a client, or restores an archived one. An archived client does not exist for a change without a state.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `team_archived`,
 *   `conflict` if another active client has the name
 */
export function changeClient(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
  asked: Change,
): Promise<Client> {
  return runCommand(database, scope, {
    lock: (tx) => lockClient(tx, id, asked.state === undefined ? ['active'] : ['active', 'archived']),
    apply: async (tx, client) => {
      const change = differences(client, asked);
      if (Object.keys(change).length === 0) return { result: client, audit: [] };
      if (await isClientNameTaken(tx, id, asked.name ?? client.name)) throw clientNameTaken();
      await updateClient(tx, id, change);
      const { name: _, ...state } = change;
      const detail = { changed: Object.keys(change), ...state };
      return {
        result: { ...client, ...change },
        audit: [{ kind: 'team.client_change', subjectType: 'client', subjectId: id, detail }],
      };
    },
  });
}

/** The requested values that differ from those of the client. */
function differences({ name, state }: Client, asked: Change): Change {
  return {
    ...(asked.name === undefined || asked.name === name ? {} : { name: asked.name }),
    ...(asked.state === undefined || asked.state === state ? {} : { state: asked.state }),
  };
}
