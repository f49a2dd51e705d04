import type { CompanyRole, InvitePower, Standing, TeamRole } from '../../../shared/access.ts';
import type { Invite } from '../../../shared/schemas/identity.ts';
import type { Queryable, ScopedTransaction } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';

/** What an invite gives: a role in a Team, or without a Team that of a Company Admin. */
export interface InviteFor {
  teamId: string | null;
  email: string;
}

export interface NewInvite extends InviteFor {
  id: string;
  role: TeamRole;
  grants: Invite['grants'];
  tokenHash: Buffer;
  expiresInHours: number;
}

type InviteRow = Omit<Invite, 'expiresAt' | 'createdAt'> & { expiresAt: Date; createdAt: Date };

/** Grants for clients that are archived rest: they are as if they did not exist. */
const COLUMNS = `i.id, i.email, i.role, identity.invite_state(i.used_at, i.revoked_at, i.expires_at) as state, i.expires_at as "expiresAt",
  i.created_by as "createdBy", i.created_at as "createdAt",
  (select coalesce(jsonb_agg(g.given order by g.place), '[]')
     from jsonb_array_elements(i.grants) with ordinality g (given, place)
     join identity.client c on c.company_id = i.company_id and c.team_id = i.team_id
       and c.id = (g.given ->> 'clientId')::uuid and c.state = 'active') as grants`;
const toInvite = (row: InviteRow): Invite => ({
  ...row,
  expiresAt: wireTime(row.expiresAt),
  createdAt: wireTime(row.createdAt),
});

/** Of one Team, or of none with null. Not `is not distinct from`, which no index answers. */
const OF_TEAM = '(i.team_id = $2 or ($2::uuid is null and i.team_id is null))';

/** Makes an invite. Withdraw what is open to the email before, with the Team locked, or without one the Company. */
export async function insertInvite(tx: ScopedTransaction, invite: NewInvite): Promise<Invite> {
  await tx.query(
    `insert into identity.invite
       (company_id, id, team_id, email, role, grants, token_hash, expires_at, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(hours => $8), $9)`,
    [
      tx.scope.companyId,
      invite.id,
      invite.teamId,
      invite.email,
      invite.role,
      JSON.stringify(invite.grants),
      invite.tokenHash,
      invite.expiresInHours,
      tx.scope.userId,
    ],
  );
  const [made] = await listInvites(tx, invite.teamId, { after: null, limit: 1 }, invite.id);
  if (made === undefined) throw new Error('the invite was not inserted');
  return made;
}

/** The invites of a Team, or without one the invitations of the Company: newest first, or the one of `id`. */
export async function listInvites(
  tx: ScopedTransaction,
  teamId: string | null,
  part: ListPart,
  id: string | null = null,
): Promise<Invite[]> {
  const rows = await tx.query<InviteRow>(
    `select ${COLUMNS} from identity.invite i
      where i.company_id = $1 and ${OF_TEAM}
        and ($3::uuid is null or i.id < $3) and ($4::uuid is null or i.id = $4)
      order by i.id desc limit $5`,
    [tx.scope.companyId, teamId, part.after, id, part.limit],
  );
  return rows.map(toInvite);
}

/** An invite that was closed, and whether it had not expired before. */
interface RevokedInvite {
  id: string;
  wasOpen: boolean;
}
const REVOKED = 'i.id, i.expires_at > now() as "wasOpen"';
const thatWereOpen = (rows: readonly RevokedInvite[]) =>
  rows.filter(({ wasOpen }) => wasOpen).map(({ id }) => id);

/** The open invite to an email; null without one. */
export async function findOpenInviteTo(
  tx: ScopedTransaction,
  { teamId, email }: InviteFor,
): Promise<{ id: string; role: TeamRole } | null> {
  const [row] = await tx.query<{ id: string; role: TeamRole }>(
    `select i.id, i.role from identity.invite i
      where i.company_id = $1 and ${OF_TEAM} and i.email = $3 and identity.invite_state(i.used_at, i.revoked_at, i.expires_at) = 'open'`,
    [tx.scope.companyId, teamId, email],
  );
  return row ?? null;
}

/**
 * Withdraws the invites of these ids; expired ones are closed with it.
 * @returns the ids of those that were open
 */
export async function revokeInvites(tx: ScopedTransaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<RevokedInvite>(
    `update identity.invite i set revoked_at = now()
      where i.company_id = $1 and i.id = any ($2::uuid[]) and i.used_at is null and i.revoked_at is null
     returning ${REVOKED}`,
    [tx.scope.companyId, ids],
  );
  return thatWereOpen(rows);
}

/**
 * Withdraws what is open to an email: in one Team, as an invitation with null, or without `teamId` in all of the
 * Company. Expired ones are closed with it.
 * @returns the ids of those that were open
 */
export async function revokeInvitesTo(
  tx: ScopedTransaction,
  { email, teamId }: { email: string; teamId?: string | null },
): Promise<string[]> {
  const rows = await tx.query<RevokedInvite>(
    `update identity.invite i set revoked_at = now()
      where i.company_id = $1 and ($4 or ${OF_TEAM}) and i.email = $3
        and i.used_at is null and i.revoked_at is null
     returning ${REVOKED}`,
    [tx.scope.companyId, teamId ?? null, email, teamId === undefined],
  );
  return thatWereOpen(rows);
}

/** An open invite, and what its maker is now where it leads. */
export interface MadeInvite {
  id: string;
  invite: InvitePower;
  /** Null once the maker's account is closed. */
  maker: Standing | null;
}

/** The invites of someone that were neither used nor withdrawn; in a Team's scope, of that Team. */
export async function listInvitesBy(tx: ScopedTransaction, userId: string): Promise<MadeInvite[]> {
  const rows = await tx.query<{
    id: string;
    teamId: string | null;
    inviteRole: TeamRole;
    companyRole: CompanyRole;
    isClosed: boolean;
    teamRole: TeamRole | null;
    grant: 'full' | 'read' | null;
  }>(
    `select i.id, i.team_id as "teamId", i.role as "inviteRole", a.role as "companyRole",
            a.closed_at is not null as "isClosed", m.role as "teamRole", g.access as "grant"
       from identity.invite i
       join identity.account a on a.company_id = i.company_id and a.id = i.created_by
       left join identity.team_member m
         on m.company_id = i.company_id and m.team_id = i.team_id and m.user_id = i.created_by
       left join identity.company_grant g
         on g.company_id = i.company_id and g.team_id = i.team_id and g.user_id = i.created_by
      where i.company_id = $1 and i.created_by = $2 and i.used_at is null and i.revoked_at is null
        and ($3::uuid is null or i.team_id = $3)`,
    [tx.scope.companyId, userId, 'teamId' in tx.scope ? tx.scope.teamId : null],
  );
  return rows.map((row) => ({
    id: row.id,
    invite: { teamId: row.teamId, role: row.inviteRole },
    maker: row.isClosed ? null : { companyRole: row.companyRole, role: row.teamRole, grant: row.grant },
  }));
}

/** What a token stands for. */
export interface FoundInvite extends InviteFor {
  id: string;
  companyId: string;
  role: TeamRole;
  grants: Invite['grants'];
  state: Invite['state'];
}

/** The invite or invitation whose token has this hash. Needs no scope: an exact match of a secret. */
export async function findInvite(tx: Queryable, tokenHash: Buffer): Promise<FoundInvite | null> {
  const [row] = await tx.query<FoundInvite>(
    `select id, company_id as "companyId", team_id as "teamId", email, role, grants, state
       from identity.find_invite($1)`,
    [tokenHash],
  );
  return row ?? null;
}

/** Uses an invite up. False: it is not open, because another was faster or it ended. */
export async function useInvite(tx: ScopedTransaction, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update identity.invite set used_at = now()
      where company_id = $1 and id = $2 and used_at is null and revoked_at is null and expires_at > now()
     returning 1`,
    [tx.scope.companyId, id],
  );
  return rows.length > 0;
}
