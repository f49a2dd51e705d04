import type { Link } from '../../../shared/schemas/accounts.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Queryable, ScopedTransaction } from '../../driver/database.ts';
import { wireTime } from '../common.ts';

/** The link of a token, and its state. */
export interface FoundLink {
  link: Link;
  state: 'open' | 'used' | 'revoked' | 'expired';
}

/** Finds the reset link or invite whose token has this hash. Needs no scope, because the caller knows the secret. */
export async function findLink(tx: Queryable, tokenHash: Buffer): Promise<FoundLink | null> {
  const [row] = await tx.query<Omit<Link, 'expiresAt'> & { expiresAt: Date; state: FoundLink['state'] }>(
    `select kind, email, company, role, team, invited_by as "invitedBy", has_account as "hasAccount",
            expires_at as "expiresAt", state
       from identity.find_link($1)`,
    [tokenHash],
  );
  if (row === undefined) return null;
  const { state, ...link } = row;
  return { link: { ...link, expiresAt: wireTime(link.expiresAt) }, state };
}

export type ResetLinkState = 'open' | 'used' | 'revoked' | 'expired';

/** A reset link, and the account whose password it can set. */
export interface ResetLinkRow {
  id: string;
  userId: string;
  companyId: string;
  state: ResetLinkState;
  /** Whether it was mailed to the address of the account. */
  isMailed: boolean;
}

/** Finds the link of an open account whose token has this hash. Needs no scope, because the caller knows the secret. */
export async function findResetLink(tx: Queryable, tokenHash: Buffer): Promise<ResetLinkRow | null> {
  const [row] = await tx.query<ResetLinkRow>(
    `select id, user_id as "userId", company_id as "companyId", state, is_mailed as "isMailed"
       from identity.find_reset_link($1)`,
    [tokenHash],
  );
  return row ?? null;
}

/** Inserts a link for an account of the Company and returns when it expires. Only the hash of the token is stored. */
export async function insertResetLink(
  tx: ScopedTransaction<CompanyScope>,
  link: { id: string; userId: string; tokenHash: Buffer; ttlSeconds: number },
): Promise<string> {
  const [row] = await tx.query<{ expiresAt: Date }>(
    `insert into identity.reset_link (company_id, id, user_id, token_hash, expires_at, created_by)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)
     returning expires_at as "expiresAt"`,
    [tx.scope.companyId, link.id, link.userId, link.tokenHash, link.ttlSeconds, tx.scope.userId],
  );
  if (row === undefined) throw new Error('the reset link was not inserted');
  return wireTime(row.expiresAt);
}

/**
 * Marks all open links of the scope's user as used, if this one is open. False: it is not, because it was used, revoked or
 * has expired. Lock the account before.
 */
export async function useResetLinks(tx: ScopedTransaction<CompanyScope>, linkId: string): Promise<boolean> {
  const rows = await tx.query(
    `update identity.reset_link set used_at = now()
      where company_id = $1 and user_id = $2 and used_at is null and revoked_at is null and expires_at > now()
        and exists (select from identity.reset_link l
                     where l.company_id = $1 and l.user_id = $2 and l.id = $3
                       and l.used_at is null and l.revoked_at is null and l.expires_at > now())
     returning 1`,
    [tx.scope.companyId, tx.scope.userId, linkId],
  );
  return rows.length > 0;
}

/** Revokes every open link of an account of the Company. */
export async function revokeResetLinks(tx: ScopedTransaction<CompanyScope>, userId: string): Promise<void> {
  await tx.query(
    `update identity.reset_link set revoked_at = now()
      where company_id = $1 and user_id = $2
        and used_at is null and revoked_at is null and expires_at > now()`,
    [tx.scope.companyId, userId],
  );
}
