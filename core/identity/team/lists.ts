import { readOnce } from '../../../db/driver/database.ts';
import type { Listed, ListPart } from '../../../db/queries/fragments/list-part.ts';
import { listClients as selectClients } from '../../../db/queries/identity/clients.ts';
import { listClientGrants as selectClientGrants } from '../../../db/queries/identity/grants.ts';
import { listInvites } from '../../../db/queries/identity/invites.ts';
import { listTeamMembers as selectTeamMembers } from '../../../db/queries/identity/members.ts';
import { type ActiveState, hasRight } from '../../../shared/access.ts';
import type { Client, ClientGrant, Invite, Member } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';

type Needed = Pick<Dependencies, 'database'>;

/** Lists the people with a role in the Team, newest first. */
export function listTeamMembers(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
): Promise<Listed<Member>[]> {
  return readOnce(database, scope, (tx) => selectTeamMembers(tx, part));
}

/**
 * Lists clients of the Team, newest first: the active clients that the caller can read, or all archived clients. Archived
 * clients are only for callers with Full access.
 */
export function listClients(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
  state: ActiveState,
): Promise<Client[]> {
  return readOnce(database, scope, (tx) => selectClients(tx, state, part));
}

/** Lists the grants for active clients, newest first. Callers without Full access get only their own grants. */
export function listClientGrants(
  { database }: Needed,
  scope: TeamScope,
  part: ListPart,
): Promise<Listed<ClientGrant>[]> {
  const userId = hasRight(scope, 'manageTeam') ? null : scope.userId;
  return readOnce(database, scope, (tx) => selectClientGrants(tx, part, userId));
}

/** Lists the invites into the Team, newest first. For callers with Full access. */
export function listTeamInvites({ database }: Needed, scope: TeamScope, part: ListPart): Promise<Invite[]> {
  return readOnce(database, scope, (tx) => listInvites(tx, scope.teamId, part));
}
