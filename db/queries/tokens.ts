import type { CompanyRole, Standing, TeamRole } from '../../shared/access.ts';
import type { TokenParts } from '../../shared/formats/agent-token.ts';
import type { Token } from '../../shared/schemas/tokens.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { ScopedTransaction } from '../driver/database.ts';
import { type ListPart, ONE_ROW, wireTime } from './common.ts';
import { queryList } from './query-list.ts';

type TokenRow = Omit<Token, 'createdAt' | 'expiresAt' | 'lastUsedAt'> & {
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
};

const STATE = `case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired' else 'active' end`;
/** `clientIds` leaves out archived clients, because they do not exist for anyone. */
const COLUMNS = `t.id, t.name, t.user_id as "userId", t.team_id as "teamId", t.permissions, t.created_at as "createdAt",
  t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", t.last_used_from as "lastUsedFrom", ${STATE} as state,
  case when t.client_ids is not null then array(
    select c.id from unnest(t.client_ids) with ordinality g (id, place)
      join identity.client c on c.team_id = t.team_id and c.id = g.id and c.state = 'active' order by g.place) end as "clientIds"`;

const toToken = (row: TokenRow): Token => ({
  ...row,
  createdAt: wireTime(row.createdAt),
  expiresAt: wireTime(row.expiresAt),
  lastUsedAt: row.lastUsedAt && wireTime(row.lastUsedAt),
});

/** An agent token to insert. Its owner is the scope's user. */
export interface NewAgentToken extends Pick<Token, 'id' | 'teamId' | 'name' | 'permissions' | 'clientIds'> {
  expiresInDays: number;
}

/** Inserts an agent token, without a secret. Lock the Team and the owner's account before. */
export async function insertToken(tx: ScopedTransaction<CompanyScope>, token: NewAgentToken): Promise<void> {
  await tx.query(
    `insert into identity.agent_token
       (company_id, team_id, id, user_id, name, permissions, client_ids, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8))`,
    [
      tx.scope.companyId,
      token.teamId,
      token.id,
      tx.scope.userId,
      token.name,
      token.permissions,
      token.clientIds,
      token.expiresInDays,
    ],
  );
}

/** Inserts a secret of an agent token. Only its hash is stored. */
export async function insertTokenSecret(
  tx: ScopedTransaction<CompanyScope>,
  { id, teamId }: Pick<Token, 'id' | 'teamId'>,
  { lookupId, secretHash }: TokenParts,
): Promise<void> {
  await tx.query(
    `insert into identity.agent_token_secret (company_id, team_id, token_id, lookup_id, secret_hash)
     values ($1, $2, $3, $4, $5)`,
    [tx.scope.companyId, teamId, id, lookupId, secretHash],
  );
}

/**
 * Ends all secrets of an agent token, those in an overlap too.
 * @param overlapHours how long they can still be used, unless they end earlier
 */
export async function endTokenSecrets(
  tx: ScopedTransaction<CompanyScope>,
  { id, teamId }: Pick<Token, 'id' | 'teamId'>,
  overlapHours: number,
): Promise<void> {
  await tx.query(
    `update identity.agent_token_secret
        set ends_at = least(coalesce(ends_at, 'infinity'), now() + make_interval(hours => $4))
      where company_id = $1 and team_id = $2 and token_id = $3`,
    [tx.scope.companyId, teamId, id, overlapHours],
  );
}

/** Whose agent tokens a list contains, and which. A field that is absent does not restrict it. */
export interface TokenFilter {
  userId?: string;
  id?: string;
}

/** Lists agent tokens in any state, newest first. In a Team's scope, only those of that Team. */
export async function selectTokens(
  tx: ScopedTransaction,
  part: ListPart,
  { userId, id }: TokenFilter = {},
): Promise<Token[]> {
  const rows = await queryList<TokenRow>(
    tx,
    part,
    `select ${COLUMNS} from identity.agent_token t
       join identity.team m on m.company_id = t.company_id and m.id = t.team_id and m.deleted_at is null
      where t.company_id = $1 and ($2::uuid is null or t.team_id = $2) and ($3::uuid is null or t.user_id = $3)
        and ($4::uuid is null or t.id = $4) and ($after::uuid is null or t.id < $after)
      order by t.id desc limit $limit`,
    {},
    [tx.scope.companyId, 'teamId' in tx.scope ? tx.scope.teamId : null, userId ?? null, id ?? null],
  );
  return rows.map(toToken);
}

/**
 * Locks an agent token until the transaction ends, and returns its current state. Null: it does not exist, or it is not
 * in the scope.
 */
export async function lockToken(
  tx: ScopedTransaction,
  { id, userId }: TokenFilter & { id: string },
): Promise<Token | null> {
  const rows = await tx.query(
    `select from identity.agent_token t
      where t.company_id = $1 and ($2::uuid is null or t.team_id = $2) and ($3::uuid is null or t.user_id = $3)
        and t.id = $4 for no key update`,
    [tx.scope.companyId, 'teamId' in tx.scope ? tx.scope.teamId : null, userId ?? null, id],
  );
  if (rows.length === 0) return null;
  const [token] = await selectTokens(tx, ONE_ROW, { id });
  return token ?? null;
}

/** Revokes agent tokens. Their secrets stay, so that the programs that use them are told what happened. */
export async function revokeTokens(
  tx: ScopedTransaction,
  tokens: readonly Pick<Token, 'id' | 'teamId'>[],
): Promise<void> {
  await tx.query(
    `update identity.agent_token t set revoked_at = now()
       from unnest($2::uuid[], $3::uuid[]) as g (team_id, id)
      where t.company_id = $1 and t.team_id = g.team_id and t.id = g.id and t.revoked_at is null`,
    [tx.scope.companyId, tokens.map(({ teamId }) => teamId), tokens.map(({ id }) => id)],
  );
}

/** An active agent token, and the current rights of its owner in its Team. */
export interface ActiveToken extends Pick<Token, 'id' | 'teamId'> {
  /** Null if the owner's account was closed. */
  owner: Standing | null;
}

/** Lists the active agent tokens of a user. In a Team's scope, only those of that Team. */
export async function listActiveTokensOf(tx: ScopedTransaction, userId: string): Promise<ActiveToken[]> {
  const rows = await tx.query<{
    id: string;
    teamId: string;
    companyRole: CompanyRole;
    isClosed: boolean;
    role: TeamRole | null;
    grant: 'full' | 'read' | null;
  }>(
    `select t.id, t.team_id as "teamId", a.role as "companyRole", a.closed_at is not null as "isClosed",
            m.role, g.access as "grant"
       from identity.agent_token t
       join identity.account a on a.company_id = t.company_id and a.id = t.user_id
       left join identity.team_member m
         on m.company_id = t.company_id and m.team_id = t.team_id and m.user_id = t.user_id
       left join identity.company_grant g
         on g.company_id = t.company_id and g.team_id = t.team_id and g.user_id = t.user_id
      where t.company_id = $1 and t.user_id = $2 and ($3::uuid is null or t.team_id = $3)
        and t.revoked_at is null and t.expires_at > now()`,
    [tx.scope.companyId, userId, 'teamId' in tx.scope ? tx.scope.teamId : null],
  );
  return rows.map(({ id, teamId, isClosed, companyRole, role, grant }) => ({
    id,
    teamId,
    owner: isClosed ? null : { companyRole, role, grant },
  }));
}
