import type { Static } from 'typebox';
import type { TeamTransaction } from '../../db/driver/database.ts';
import { findClient, insertClient, isClientNameTaken, updateClient } from '../../db/queries/clients.ts';
import type { ActiveState } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Client, ClientChange } from '../../shared/schemas/clients.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { assertActive, lockTeamForAdmin } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/** The refusal of a name that another active client of the Team has. */
function clientNameTaken(): ServiceError {
  return new ServiceError('conflict', 'Another client of the Team has this name');
}

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

/**
 * Locks the Team of a client that is to change, and returns the client. No row lock of its own is needed: only
 * commands that lock the Team change a client.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found` if the client is in
 *   none of `states`, `team_archived`
 */
async function lockClient(tx: TeamTransaction, id: string, states: readonly ActiveState[]): Promise<Client> {
  const team = await lockTeamForAdmin(tx);
  const client = await findClient(tx, id, states);
  if (client === null) throw new ServiceError('not_found');
  assertActive(team);
  return client;
}

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

/**
 * Archives an active client. It no longer exists for anyone, except in the list of archived clients.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`, `team_archived`
 */
export function archiveClient(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockClient(tx, id, ['active']),
    apply: async (tx) => {
      await updateClient(tx, id, { state: 'archived' });
      return {
        result: undefined,
        audit: [{ kind: 'team.client_archive', subjectType: 'client', subjectId: id }],
      };
    },
  });
}
