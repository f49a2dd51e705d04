import type { CompanyRole, InviteTarget, Standing, TeamRole } from '../../../shared/access.ts';
import type { Invite } from '../../../shared/schemas/people.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Queryable, ScopedTransaction } from '../../driver/database.ts';
import { type ListPart, wireTime } from '../common.ts';
import { queryList } from '../query-list.ts';

/** The target of an invite: a Team, or, if `teamId` is null, the Company, for a Company Admin. */
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

/** `grants` leaves out archived clients, because they do not exist for anyone. */
const COLUMNS = `i.id, i.email, i.role, identity.invite_state(i.used_at, i.revoked_at, i.expires_at) as state, i.expires_at as "expiresAt",
  i.created_by as "createdBy", i.created_at as "createdAt",
  (select coalesce(jsonb_agg(g.given order by g.place), '[]')
     from jsonb_array_elements(i.grants) with ordinality g (given, place)
     join identity.client c on c.company_id = i.company_id and c.team_id = i.team_id
       and c.id = (g.given ->> 'clientId')::uuid and c.state = 'active') as grants,
  (select jsonb_build_object('userId', a.id, 'name', a.name, 'email', a.email, 'verified', a.verified_at is not null)
     from identity.account a where a.company_id = i.company_id and a.email = i.email and a.closed_at is null) as account,
  (select nullif(m.state, 'ended') from identity.mail m
    where m.company_id = i.company_id and m.cause_id = i.id order by m.id desc limit 1) as mail`;
const toInvite = (row: InviteRow): Invite => ({
  ...row,
  expiresAt: wireTime(row.expiresAt),
  createdAt: wireTime(row.createdAt),
});

/** Invites to one Team, or to the Company if `$2` is null. `is not distinct from` could not use an index. */
const OF_TEAM = '(i.team_id = $2 or ($2::uuid is null and i.team_id is null))';

/**
 * Inserts an invite. Lock its Team, or the Company for an invitation, and revoke the open invites to the email before.
 */
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
  const [made] = await selectInvites(tx, invite.teamId, { after: null, limit: 1 }, invite.id);
  if (made === undefined) throw new Error('the invite was not inserted');
  return made;
}

/** Lists the invites to a Team, or to the Company if `teamId` is null, newest first. With `id`, only that invite. */
export async function selectInvites(
  tx: ScopedTransaction,
  teamId: string | null,
  part: ListPart,
  id: string | null = null,
): Promise<Invite[]> {
  const rows = await queryList<InviteRow>(
    tx,
    part,
    `select ${COLUMNS} from identity.invite i
      where i.company_id = $1 and ${OF_TEAM}
        and ($after::uuid is null or i.id < $after) and ($3::uuid is null or i.id = $3)
      order by i.id desc limit $limit`,
    {},
    [tx.scope.companyId, teamId, id],
  );
  return rows.map(toInvite);
}

/** An invite that was revoked, and whether it was open before, or had expired. */
interface RevokedInvite {
  id: string;
  wasOpen: boolean;
}
const REVOKED = 'i.id, i.expires_at > now() as "wasOpen"';
const idsOfOpen = (rows: readonly RevokedInvite[]) =>
  rows.filter(({ wasOpen }) => wasOpen).map(({ id }) => id);

/** Finds the open invite to an email; null without one. */
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
 * Revokes the invites with these ids. Expired ones are marked as revoked too.
 * @returns the ids of the invites that were open
 */
export async function revokeInvites(tx: ScopedTransaction, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<RevokedInvite>(
    `update identity.invite i set revoked_at = now()
      where i.company_id = $1 and i.id = any ($2::uuid[]) and i.used_at is null and i.revoked_at is null
     returning ${REVOKED}`,
    [tx.scope.companyId, ids],
  );
  return idsOfOpen(rows);
}

/**
 * Revokes the invites to an email: those to one Team, those to the Company if `teamId` is null, or all if it is absent.
 * Expired ones are marked as revoked too.
 * @returns the ids of the invites that were open
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
  return idsOfOpen(rows);
}

/** Finds the email of the newest invitation to become the Owner of the Company, whatever its state; null without one. */
export async function findInvitedOwner(tx: ScopedTransaction<CompanyScope>): Promise<string | null> {
  const [row] = await tx.query<{ email: string }>(
    `select email from identity.invite
      where company_id = $1 and team_id is null and role = 'owner' order by id desc limit 1`,
    [tx.scope.companyId],
  );
  return row?.email ?? null;
}

/** Revokes all invites of the Company that were not used. */
export async function revokeAllInvites(tx: ScopedTransaction<CompanyScope>): Promise<void> {
  await tx.query(
    `update identity.invite set revoked_at = now() where company_id = $1 and used_at is null and revoked_at is null`,
    [tx.scope.companyId],
  );
}

/** An invite that was not used or revoked, and the current rights of its creator in its target. */
export interface AuthoredInvite {
  id: string;
  invite: InviteTarget;
  /** Null if the creator's account was closed. */
  author: Standing | null;
}

/** Lists the invites that a user created and that were not used or revoked. In a Team's scope, only of that Team. */
export async function listInvitesBy(tx: ScopedTransaction, userId: string): Promise<AuthoredInvite[]> {
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
    author: row.isClosed ? null : { companyRole: row.companyRole, role: row.teamRole, grant: row.grant },
  }));
}

/** The invite of a token. */
export interface FoundInvite extends InviteFor {
  id: string;
  companyId: string;
  role: TeamRole;
  grants: Invite['grants'];
  state: Invite['state'];
  /** Whether the token was mailed to the address of the invite. */
  isMailed: boolean;
}

/** Finds the invite whose token has this hash. Needs no scope, because the caller knows the secret. */
export async function findInvite(tx: Queryable, tokenHash: Buffer): Promise<FoundInvite | null> {
  const [row] = await tx.query<FoundInvite>(
    `select id, company_id as "companyId", team_id as "teamId", email, role, grants, state,
            is_mailed as "isMailed"
       from identity.find_invite($1)`,
    [tokenHash],
  );
  return row ?? null;
}

/** Marks an invite as used. False: it is not open, because it was used, revoked or has expired. */
export async function useInvite(tx: ScopedTransaction, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update identity.invite set used_at = now()
      where company_id = $1 and id = $2 and used_at is null and revoked_at is null and expires_at > now()
     returning 1`,
    [tx.scope.companyId, id],
  );
  return rows.length > 0;
}
