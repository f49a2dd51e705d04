import type { ActiveState, ClientGrant, Layers } from '../../shared/access.ts';
import { foldName } from '../../shared/formats/names.ts';
import type { Client } from '../../shared/schemas/clients.ts';
import type { ScopedTransaction, TeamTransaction } from '../driver/database.ts';
import { containsText, type ListPart, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

type ClientRow = Omit<Client, 'createdAt' | 'access'> & { createdAt: Date };
const COLUMNS = `id, name, state, created_at as "createdAt"`;

function toClient(tx: TeamTransaction, row: ClientRow): Client {
  // Only callers with Full access see archived clients, and they can write to every client.
  const writes = row.state === 'archived' || tx.scope.writes.includes(row.id);
  return { ...row, access: writes ? 'write' : 'read', createdAt: wireTime(row.createdAt) };
}

/**
 * Lists clients of the Team in a state, newest first: all archived clients, or the active clients that the caller can
 * read. Archived clients do not exist for callers without Full access, so check the access before. An agent token that
 * is limited to clients gets only those.
 */
export async function listClients(
  tx: TeamTransaction,
  state: ActiveState,
  part: ListPart,
): Promise<Client[]> {
  const rows = await queryList<ClientRow>(
    tx,
    part,
    `select ${COLUMNS} from identity.client
      where company_id = $1 and team_id = $2 and state = $3 and ($3 = 'archived' or id = any ($4::uuid[]))
        and ($after::uuid is null or id < $after) and ($5::uuid[] is null or id = any ($5))
      order by id desc limit $limit`,
    {},
    [tx.scope.companyId, tx.scope.teamId, state, tx.scope.reads, tx.scope.tokenClients],
  );
  return rows.map((row) => toClient(tx, row));
}

/**
 * Lists the active clients of the Team that the scope can read, with their names.
 * @param text that the names contain; null: all
 */
export async function listReadableClientNames(
  tx: TeamTransaction,
  text: string | null,
): Promise<{ id: string; name: string }[]> {
  return tx.query<{ id: string; name: string }>(
    `select id, name from identity.client
      where company_id = $1 and team_id = $2 and state = 'active' and id = any ($3::uuid[])
        and ($4::text is null or ${containsText('name', '$4')})
      order by id`,
    [tx.scope.companyId, tx.scope.teamId, tx.scope.reads, text],
  );
}

/**
 * Inserts a client of the Team. For callers with Full access, who can write to it. Null: an active client of the Team has
 * the name.
 */
export async function insertClient(
  tx: TeamTransaction,
  client: { id: string; name: string },
): Promise<Client | null> {
  const [row] = await tx.query<ClientRow>(
    `insert into identity.client (company_id, team_id, id, name, folded_name) values ($1, $2, $3, $4, $5)
     on conflict (team_id, folded_name) where state = 'active' do nothing returning ${COLUMNS}`,
    [tx.scope.companyId, tx.scope.teamId, client.id, client.name, foldName(client.name)],
  );
  return row === undefined ? null : { ...toClient(tx, row), access: 'write' };
}

/** Whether another active client of the Team has this name. Lock the Team before. */
export async function isClientNameTaken(tx: TeamTransaction, id: string, name: string): Promise<boolean> {
  const rows = await tx.query(
    `select from identity.client
      where company_id = $1 and team_id = $2 and folded_name = $4 and id <> $3 and state = 'active'`,
    [tx.scope.companyId, tx.scope.teamId, id, foldName(name)],
  );
  return rows.length > 0;
}

/**
 * Finds a client of the Team in one of these states. For callers with Full access. Lock the Team before.
 * @returns null if it does not exist
 */
export async function findClient(
  tx: TeamTransaction,
  id: string,
  states: readonly ActiveState[],
): Promise<Client | null> {
  const [row] = await tx.query<ClientRow>(
    `select ${COLUMNS} from identity.client
      where company_id = $1 and team_id = $2 and id = $3 and state = any ($4::text[])`,
    [tx.scope.companyId, tx.scope.teamId, id, states],
  );
  return row === undefined ? null : { ...toClient(tx, row), access: 'write' };
}

/** Updates a client that exists. For callers with Full access. */
export async function updateClient(
  tx: TeamTransaction,
  id: string,
  change: { name?: string; state?: ActiveState },
): Promise<void> {
  await tx.query(
    `update identity.client
        set name = coalesce($4, name), folded_name = coalesce($6, folded_name), state = coalesce($5, state)
      where company_id = $1 and team_id = $2 and id = $3`,
    [
      tx.scope.companyId,
      tx.scope.teamId,
      id,
      change.name ?? null,
      change.state ?? null,
      change.name === undefined ? null : foldName(change.name),
    ],
  );
}

/** Returns those of these ids that are active clients of the Team. */
export async function findActiveClients(tx: TeamTransaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from identity.client
      where company_id = $1 and team_id = $2 and id = any ($3::uuid[]) and state = 'active'`,
    [tx.scope.companyId, tx.scope.teamId, ids],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns those of these ids that are active clients of a Team of the Company, with the current grant of the scope's
 * user, or null. Of an agent token that is limited to clients, only those. The Team layer is no client.
 */
export async function findOwnClientGrants(
  tx: ScopedTransaction,
  teamId: string,
  layers: Layers,
): Promise<ClientGrant[]> {
  const clientIds = layers.filter((id) => id !== teamId);
  if (clientIds.length === 0) return [];
  return tx.query<ClientGrant>(
    `select c.id, g.access as "grant"
       from identity.client c
       left join identity.client_grant g on g.team_id = c.team_id and g.client_id = c.id and g.user_id = $3
      where c.company_id = $1 and c.team_id = $2 and c.id = any ($4::uuid[]) and c.state = 'active'
        and ($5::uuid[] is null or c.id = any ($5))`,
    [
      tx.scope.companyId,
      teamId,
      tx.scope.userId,
      clientIds,
      'tokenClients' in tx.scope ? tx.scope.tokenClients : null,
    ],
  );
}
