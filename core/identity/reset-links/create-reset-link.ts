import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { insertResetLink, revokeResetLinks } from '../../../db/queries/identity/reset-links.ts';
import { newId } from '../../../shared/ids.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { hashToken, newToken } from '../../../shared/tokens.ts';
import type { Recorded } from '../../access/run-command.ts';

/** A link that sets a password once. `url` contains the secret: show it once and do not store it. */
export interface IssuedLink {
  url: string;
  /** ISO 8601, UTC. */
  expiresAt: string;
}

export interface ResetLinkDraft {
  /** Where the link leads, without a slash at the end. */
  base: string;
  ttlSeconds: number;
}

/**
 * Creates a reset link for an account of the Company. It replaces the open one. Lock the account first.
 * @param link.teamId the Team whose Owner the link is for; it belongs to the audit event
 * @returns the link, and the audit event, which the command that calls this must return
 */
export async function createResetLink(
  tx: ScopedTransaction<CompanyScope>,
  { userId, teamId, base, ttlSeconds }: ResetLinkDraft & { userId: string; teamId?: string },
): Promise<Recorded<IssuedLink>> {
  await revokeResetLinks(tx, userId);
  const token = newToken();
  const id = newId();
  const expiresAt = await insertResetLink(tx, { id, userId, tokenHash: hashToken(token), ttlSeconds });
  return {
    // In the fragment, which no log, proxy or Referer header sees.
    result: { url: `${base}/reset#token=${token}`, expiresAt },
    audit: [
      {
        kind: 'company.reset_link',
        subjectType: 'account',
        subjectId: userId,
        ...(teamId === undefined ? {} : { teamId }),
        detail: { linkId: id, ttlSeconds },
      },
    ],
  };
}
