import type { Link } from '../../../shared/schemas/identity.ts';
import type { Queryable } from '../../driver/database.ts';
import { wireTime } from '../fragments/layers.ts';

/** The link of a token, and its state. */
export interface FoundLink {
  link: Link;
  state: 'open' | 'used' | 'revoked' | 'expired';
}

/** Finds the reset link or invite whose token has this hash. Needs no scope, because the caller knows the secret. */
export async function findLink(tx: Queryable, tokenHash: Buffer): Promise<FoundLink | null> {
  const [row] = await tx.query<Omit<Link, 'expiresAt'> & { expiresAt: Date; state: FoundLink['state'] }>(
    `select kind, email, company, team, invited_by as "invitedBy", has_account as "hasAccount",
            expires_at as "expiresAt", state
       from identity.find_link($1)`,
    [tokenHash],
  );
  if (row === undefined) return null;
  const { state, ...link } = row;
  return { link: { ...link, expiresAt: wireTime(link.expiresAt) }, state };
}
