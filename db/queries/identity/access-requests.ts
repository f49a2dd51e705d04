import type { AccessRequest } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { ScopedTransaction } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';

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
  const rows = await tx.query<RequestRow>(
    `select ${COLUMNS} from identity.access_request
      where company_id = $1 and ($2::uuid is null or user_id = $2) and ($3::uuid is null or id < $3)
      order by id desc limit $4`,
    [tx.scope.companyId, userId, part.after, part.limit],
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
