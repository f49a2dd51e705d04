import { createHash } from 'node:crypto';
import type { TeamRole } from '../../shared/access.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { ScopedTransaction } from '../driver/database.ts';

/** What a mail is about. Its cause is an invite, an invitation, a reset link, an agent token or, for a test, an account. */
export type MailKind = 'invite' | 'invitation' | 'reset' | 'token_expiry' | 'test';

export interface NewMail {
  id: string;
  kind: MailKind;
  causeId: string;
  /** In canonical form. Only its hash is stored. */
  email: string;
}

const hashOf = (email: string) => createHash('sha256').update(email, 'utf8').digest();

/** Inserts a mail that waits to be sent. Enqueue its job in the same transaction. */
export async function insertMail(
  tx: ScopedTransaction,
  { id, kind, causeId, email }: NewMail,
): Promise<void> {
  await tx.query(
    'insert into identity.mail (company_id, id, kind, cause_id, address_hash) values ($1, $2, $3, $4, $5)',
    [tx.scope.companyId, id, kind, causeId, hashOf(email)],
  );
}

/** How many mails of the Company the last 24 hours have, and in how many seconds the first of them no longer counts. */
export interface MailCount {
  mails: number;
  resetSeconds: number;
}

/**
 * Counts the mails of the last 24 hours to an address, and the invites and invitations to anyone. Reset links count in
 * neither. Lock the mails of the Company before.
 */
export async function countMails(
  tx: ScopedTransaction,
  email: string,
): Promise<{ toAddress: MailCount; invites: MailCount }> {
  const [row] = await tx.query<{ mails: number; seconds: number; invites: number; inviteSeconds: number }>(
    `select (count(*) filter (where address_hash = $2 and kind <> 'reset'))::int as mails,
            coalesce(ceil(extract(epoch from min(created_at) filter (where address_hash = $2 and kind <> 'reset')
              + interval '1 day' - now())), 0)::int as seconds,
            (count(*) filter (where kind in ('invite', 'invitation')))::int as invites,
            coalesce(ceil(extract(epoch from min(created_at) filter (where kind in ('invite', 'invitation'))
              + interval '1 day' - now())), 0)::int as "inviteSeconds"
       from identity.mail where company_id = $1 and created_at > now() - interval '1 day'`,
    [tx.scope.companyId, hashOf(email)],
  );
  if (row === undefined) throw new Error('the mails were not counted');
  return {
    toAddress: { mails: row.mails, resetSeconds: row.seconds },
    invites: { mails: row.invites, resetSeconds: row.inviteSeconds },
  };
}

/** A mail that waits to be sent. */
export interface QueuedMail extends Omit<NewMail, 'email'> {
  /** How many attempts before had an outcome that is not known. */
  openSends: number;
  isOverdue: boolean;
}

/**
 * Locks a mail until the transaction ends. Null: it does not wait any longer.
 * @param seconds how long after it was made a mail can be sent
 */
export async function lockQueuedMail(
  tx: ScopedTransaction,
  id: string,
  seconds: number,
): Promise<QueuedMail | null> {
  const [row] = await tx.query<QueuedMail>(
    `select id, kind, cause_id as "causeId", open_sends as "openSends",
            created_at <= now() - make_interval(secs => $3) as "isOverdue"
       from identity.mail where company_id = $1 and id = $2 and state = 'queued' for no key update`,
    [tx.scope.companyId, id, seconds],
  );
  return row ?? null;
}

/** Changes by how many the attempts differ whose outcome is not known. */
export async function addOpenSends(tx: ScopedTransaction, id: string, by: 1 | -1): Promise<void> {
  await tx.query('update identity.mail set open_sends = open_sends + $3 where company_id = $1 and id = $2', [
    tx.scope.companyId,
    id,
    by,
  ]);
}

/** Ends a mail: it was sent, it failed for good, or its cause had ended before. */
export async function endMail(
  tx: ScopedTransaction,
  id: string,
  state: 'sent' | 'failed' | 'ended',
): Promise<void> {
  await tx.query(
    `update identity.mail set state = $3, ended_at = now()
      where company_id = $1 and id = $2 and state = 'queued'`,
    [tx.scope.companyId, id, state],
  );
}

/** Ends all mails of the Company that wait. */
export async function endAllMails(tx: ScopedTransaction): Promise<void> {
  await tx.query(
    `update identity.mail set state = 'ended', ended_at = now() where company_id = $1 and state = 'queued'`,
    [tx.scope.companyId],
  );
}

/** Deletes the mails to an address, and with them what is known of it. */
export async function deleteMailsTo(tx: ScopedTransaction, email: string): Promise<void> {
  await tx.query('delete from identity.mail where company_id = $1 and address_hash = $2', [
    tx.scope.companyId,
    hashOf(email),
  ]);
}

/** What the mail of an invite says. */
export interface InviteToMail {
  email: string;
  role: TeamRole;
  company: string;
  /** Null for an invitation to the Company. */
  team: string | null;
  /** Null if the account of the person who made it was closed. */
  invitedBy: string | null;
  expiresAt: Date;
}

/** Finds an invite or an invitation; null if it is not open. */
export async function findInviteToMail(tx: ScopedTransaction, id: string): Promise<InviteToMail | null> {
  const [row] = await tx.query<InviteToMail>(
    `select i.email, i.role, c.name as company, t.name as team, a.name as "invitedBy", i.expires_at as "expiresAt"
       from identity.invite i
       join identity.company c on c.id = i.company_id
       left join identity.team t on t.company_id = i.company_id and t.id = i.team_id
       left join identity.account a on a.company_id = i.company_id and a.id = i.created_by and a.closed_at is null
      where i.company_id = $1 and i.id = $2 and t.deleted_at is null
        and identity.invite_state(i.used_at, i.revoked_at, i.expires_at) = 'open'`,
    [tx.scope.companyId, id],
  );
  return row ?? null;
}

/** The most tokens of an invite, or of a person's reset links, that can be used at one time. */
const MAX_OPEN_TOKENS = 5;

/**
 * Inserts a token of an invite that is mailed. Beside the one that was shown, the newest stay, so that at most five can be
 * used; the others are revoked.
 */
export async function insertMailedToken(
  tx: ScopedTransaction,
  { id, inviteId, tokenHash }: { id: string; inviteId: string; tokenHash: Buffer },
): Promise<void> {
  await tx.query(
    'insert into identity.mailed_token (company_id, id, invite_id, token_hash) values ($1, $2, $3, $4)',
    [tx.scope.companyId, id, inviteId, tokenHash],
  );
  await tx.query(
    `update identity.mailed_token set revoked_at = now()
      where company_id = $1 and id in (
        select m.id from identity.mailed_token m
         where m.company_id = $1 and m.invite_id = $2 and m.revoked_at is null order by m.id desc offset $3)`,
    [tx.scope.companyId, inviteId, MAX_OPEN_TOKENS - 1],
  );
}

/** Deletes a token of an invite that was certainly not mailed. */
export async function deleteMailedToken(tx: ScopedTransaction, id: string): Promise<void> {
  await tx.query('delete from identity.mailed_token where company_id = $1 and id = $2', [
    tx.scope.companyId,
    id,
  ]);
}

/** What the mail of a reset link says. */
export interface ResetToMail {
  userId: string;
  email: string;
  company: string;
  expiresAt: Date;
}

/** Finds a reset link and its account; null if it is not open. */
export async function findResetToMail(tx: ScopedTransaction, id: string): Promise<ResetToMail | null> {
  const [row] = await tx.query<ResetToMail>(
    `select a.id as "userId", a.email, c.name as company, l.expires_at as "expiresAt"
       from identity.reset_link l
       join identity.account a on a.company_id = l.company_id and a.id = l.user_id and a.closed_at is null
       join identity.company c on c.id = l.company_id
      where l.company_id = $1 and l.id = $2
        and l.used_at is null and l.revoked_at is null and l.expires_at > now()`,
    [tx.scope.companyId, id],
  );
  return row ?? null;
}

/**
 * Inserts a reset link that is mailed. At most five links of a person stay open; the oldest that somebody asked for without
 * a session is revoked first, and one that was shown last.
 * @param link.expiresAt null: in an hour, for one that somebody asked for without a session
 */
export async function insertMailedReset(
  tx: ScopedTransaction<CompanyScope>,
  link: { id: string; userId: string; tokenHash: Buffer; expiresAt: Date | null },
): Promise<{ expiresAt: Date }> {
  const [row] = await tx.query<{ expiresAt: Date }>(
    `insert into identity.reset_link
       (company_id, id, user_id, token_hash, expires_at, created_by, is_mailed, is_asked_for)
     values ($1, $2, $3, $4, coalesce($5::timestamptz, now() + interval '1 hour'), $3, true, $5::timestamptz is null)
     returning expires_at as "expiresAt"`,
    [tx.scope.companyId, link.id, link.userId, link.tokenHash, link.expiresAt],
  );
  if (row === undefined) throw new Error('the reset link was not inserted');
  await tx.query(
    `update identity.reset_link set revoked_at = now()
      where company_id = $1 and id in (
        select l.id from identity.reset_link l
         where l.company_id = $1 and l.user_id = $2 and l.used_at is null and l.revoked_at is null
           and l.expires_at > now()
         order by l.is_asked_for, l.is_mailed, l.id desc offset $3)`,
    [tx.scope.companyId, link.userId, MAX_OPEN_TOKENS],
  );
  return row;
}

/** Deletes reset links that were certainly not mailed. */
export async function deleteResetLinks(tx: ScopedTransaction, ids: readonly string[]): Promise<void> {
  await tx.query('delete from identity.reset_link where company_id = $1 and id = any ($2::uuid[])', [
    tx.scope.companyId,
    ids,
  ]);
}

/** What the mail about an agent token says. */
export interface TokenToMail {
  email: string;
  company: string;
  team: string;
  token: string;
  expiresAt: Date;
}

/** Finds an agent token and its owner; null if it was revoked or has expired. */
export async function findTokenToMail(tx: ScopedTransaction, id: string): Promise<TokenToMail | null> {
  const [row] = await tx.query<TokenToMail>(
    `select a.email, c.name as company, m.name as team, t.name as token, t.expires_at as "expiresAt"
       from identity.agent_token t
       join identity.account a on a.company_id = t.company_id and a.id = t.user_id and a.closed_at is null
       join identity.team m on m.company_id = t.company_id and m.id = t.team_id and m.deleted_at is null
       join identity.company c on c.id = t.company_id
      where t.company_id = $1 and t.id = $2 and t.revoked_at is null and t.expires_at > now()`,
    [tx.scope.companyId, id],
  );
  return row ?? null;
}

/** An account, as a mail to it names it. */
export interface AccountToMail {
  email: string;
  company: string;
}

/** Finds an open account; null if it was closed. */
export async function findAccountToMail(
  tx: ScopedTransaction,
  userId: string,
): Promise<AccountToMail | null> {
  const [row] = await tx.query<AccountToMail>(
    `select a.email, c.name as company from identity.account a join identity.company c on c.id = a.company_id
      where a.company_id = $1 and a.id = $2 and a.closed_at is null`,
    [tx.scope.companyId, userId],
  );
  return row ?? null;
}
