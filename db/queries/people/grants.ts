import type { ClientAccess } from '../../../shared/access.ts';
import type { AccessRequest, ClientGrant, CompanyGrant } from '../../../shared/schemas/people.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction, TeamTransaction } from '../../driver/database.ts';
import { type Listed, type ListPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';

type Row<T> = Listed<Omit<T, 'createdAt'> & { createdAt: Date }>;

/** Lists grants for active clients of the Team that the caller can read, newest first: of all members, or of one. */
export async function listClientGrants(
  tx: TeamTransaction,
  part: ListPart,
  userId: string | null,
): Promise<Listed<ClientGrant>[]> {
  const rows = await queryList<Row<ClientGrant>>(
    tx,
    part,
    `select g.id, g.user_id as "userId", g.client_id as "clientId", g.access, g.created_at as "createdAt"
       from identity.client_grant g
       join identity.client c on c.team_id = g.team_id and c.id = g.client_id and c.state = 'active'
      where g.company_id = $1 and g.team_id = $2 and ($3::uuid is null or g.user_id = $3)
        and ($after::uuid is null or g.id < $after) and g.client_id = any ($4::uuid[])
      order by g.id desc limit $limit`,
    {},
    [tx.scope.companyId, tx.scope.teamId, userId, tx.scope.reads],
  );
  return rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) }));
}

/** Returns the grant of a member for a client of the Team; null without one. */
export async function findClientGrant(
  tx: ScopedTransaction,
  { teamId, userId, clientId }: { teamId: string; userId: string; clientId: string },
): Promise<ClientAccess | null> {
  const [row] = await tx.query<{ access: ClientAccess }>(
    `select access from identity.client_grant
      where company_id = $1 and team_id = $2 and user_id = $3 and client_id = $4`,
    [tx.scope.companyId, teamId, userId, clientId],
  );
  return row?.access ?? null;
}

/**
 * Grants a member of the Team access to one of its active clients. Replaces an earlier grant.
 * @returns null if the member or the active client does not exist
 */
export async function upsertClientGrant(
  tx: ScopedTransaction,
  grant: { teamId: string; userId: string; clientId: string; access: ClientAccess },
): Promise<ClientGrant | null> {
  const [row] = await tx.query<Row<ClientGrant>>(
    `insert into identity.client_grant (company_id, team_id, client_id, user_id, access)
     select m.company_id, m.team_id, c.id, m.user_id, $5
       from identity.team_member m
       join identity.client c on c.company_id = m.company_id and c.team_id = m.team_id and c.id = $4
      where m.company_id = $1 and m.team_id = $2 and m.user_id = $3 and c.state = 'active'
     on conflict (team_id, client_id, user_id) do update set access = excluded.access
     returning id, user_id as "userId", client_id as "clientId", access, created_at as "createdAt"`,
    [tx.scope.companyId, grant.teamId, grant.userId, grant.clientId, grant.access],
  );
  if (row === undefined) return null;
  const { userId, clientId, access, createdAt } = row;
  return { userId, clientId, access, createdAt: wireTime(createdAt) };
}

/** Deletes a grant for an active client. False: it does not exist. */
export async function deleteClientGrant(
  tx: TeamTransaction,
  grant: { userId: string; clientId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `delete from identity.client_grant g using identity.client c
      where g.company_id = $1 and g.team_id = $2 and g.user_id = $3 and g.client_id = $4
        and c.team_id = g.team_id and c.id = g.client_id and c.state = 'active' returning 1`,
    [tx.scope.companyId, tx.scope.teamId, grant.userId, grant.clientId],
  );
  return rows.length > 0;
}

/** Lists the Company grants, newest first, or only the grant of a user for a Team. */
export async function listCompanyGrants(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  of: { userId: string; teamId: string } | null = null,
): Promise<Listed<CompanyGrant>[]> {
  const rows = await queryList<Row<CompanyGrant>>(
    tx,
    part,
    `select id, user_id as "userId", team_id as "teamId", access, created_at as "createdAt"
       from identity.company_grant
      where company_id = $1 and ($after::uuid is null or id < $after)
        and ($2::uuid is null or user_id = $2) and ($3::uuid is null or team_id = $3)
      order by id desc limit $limit`,
    {},
    [tx.scope.companyId, of?.userId ?? null, of?.teamId ?? null],
  );
  return rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) }));
}

/** Grants a Company Admin access to a Team. Replaces an earlier grant. Check the role and the Team before. */
export async function upsertCompanyGrant(
  tx: ScopedTransaction<CompanyScope>,
  grant: Pick<CompanyGrant, 'userId' | 'teamId' | 'access'>,
): Promise<void> {
  await tx.query(
    `insert into identity.company_grant (company_id, team_id, user_id, access) values ($1, $2, $3, $4)
     on conflict (company_id, team_id, user_id) do update set access = excluded.access`,
    [tx.scope.companyId, grant.teamId, grant.userId, grant.access],
  );
}

/** Deletes the Company grants of a user, for one Team or for all. Returns how many. */
export async function deleteCompanyGrants(
  tx: ScopedTransaction<CompanyScope>,
  of: { userId: string; teamId?: string },
): Promise<number> {
  const rows = await tx.query(
    `delete from identity.company_grant
      where company_id = $1 and user_id = $2 and ($3::uuid is null or team_id = $3) returning 1`,
    [tx.scope.companyId, of.userId, of.teamId ?? null],
  );
  return rows.length;
}

type RequestRow = Omit<AccessRequest, 'createdAt'> & { createdAt: Date };
const COLUMNS = `id, user_id as "userId", team_id as "teamId", access, reason, state,
  decided_by as "decidedBy", created_at as "createdAt"`;
const toRequest = (row: RequestRow): AccessRequest => ({ ...row, createdAt: wireTime(row.createdAt) });

/** Inserts a request of the scope's user. Null: the user already has an open request for the Team. */
export async function insertAccessRequest(
  tx: ScopedTransaction<CompanyScope>,
  request: Pick<AccessRequest, 'id' | 'teamId' | 'access' | 'reason'>,
): Promise<AccessRequest | null> {
  const [row] = await tx.query<RequestRow>(
    `insert into identity.access_request (company_id, id, user_id, team_id, access, reason)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (company_id, user_id, team_id) where state = 'open' do nothing returning ${COLUMNS}`,
    [tx.scope.companyId, request.id, tx.scope.userId, request.teamId, request.access, request.reason],
  );
  return row === undefined ? null : toRequest(row);
}

/** Lists requests, newest first: all, or those of one user. */
export async function listAccessRequests(
  tx: ScopedTransaction<CompanyScope>,
  part: ListPart,
  userId: string | null,
): Promise<AccessRequest[]> {
  const rows = await queryList<RequestRow>(
    tx,
    part,
    `select ${COLUMNS} from identity.access_request
      where company_id = $1 and ($2::uuid is null or user_id = $2) and ($after::uuid is null or id < $after)
      order by id desc limit $limit`,
    {},
    [tx.scope.companyId, userId],
  );
  return rows.map(toRequest);
}

/** Finds a request, without a lock; null if it does not exist. */
export async function findAccessRequest(
  tx: ScopedTransaction<CompanyScope>,
  id: string,
): Promise<AccessRequest | null> {
  const [row] = await tx.query<RequestRow>(
    `select ${COLUMNS} from identity.access_request where company_id = $1 and id = $2`,
    [tx.scope.companyId, id],
  );
  return row === undefined ? null : toRequest(row);
}

/** Decides an open request as the scope's user. Null: it is no longer open. */
export async function decideAccessRequest(
  tx: ScopedTransaction<CompanyScope>,
  id: string,
  state: 'approved' | 'denied',
): Promise<AccessRequest | null> {
  const [row] = await tx.query<RequestRow>(
    `update identity.access_request set state = $3, decided_by = $4
      where company_id = $1 and id = $2 and state = 'open' returning ${COLUMNS}`,
    [tx.scope.companyId, id, state, tx.scope.userId],
  );
  return row === undefined ? null : toRequest(row);
}

/** Denies the open requests of a former Company Admin. Returns their ids. */
export async function denyAccessRequestsOf(
  tx: ScopedTransaction<CompanyScope>,
  userId: string,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update identity.access_request set state = 'denied', decided_by = $3
      where company_id = $1 and user_id = $2 and state = 'open' returning id`,
    [tx.scope.companyId, userId, tx.scope.userId],
  );
  return rows.map(({ id }) => id);
}
