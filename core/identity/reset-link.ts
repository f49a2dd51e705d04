import { type Database, type ScopedTransaction, transaction } from '../../db/driver/database.ts';
import { lockAccount } from '../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { insertResetLink, revokeResetLinks } from '../../db/queries/identity/reset-links.ts';
import type { Principal } from '../../db/startup/bootstrap.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { DEFAULT_RESET_LINK_SECONDS } from '../../shared/schemas/identity.ts';
import { type CompanyScope, companyScope } from '../../shared/scope.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';
import { configuredLinkBase } from './link-base.ts';

/** A link that sets a password once. `url` holds the secret: show it once and keep it nowhere. */
export interface IssuedLink {
  url: string;
  expiresAt: Date;
}

/**
 * Makes a reset link for an account of the Company, in place of the open one, with its audit event.
 * @param link.base where the link leads, without a slash at the end
 * @param link.teamId the Team that it was asked for, for the audit event
 * @throws ServiceError `not_found` when the account is closed
 */
export async function createResetLink(
  tx: ScopedTransaction<CompanyScope>,
  link: { userId: string; teamId?: string; base: string; ttlSeconds: number },
): Promise<IssuedLink> {
  const { userId, teamId, ttlSeconds } = link;
  if (!(await lockAccount(tx, userId))) throw new ServiceError('not_found');
  await revokeResetLinks(tx, userId);
  const token = newToken();
  const id = newId();
  const expiresAt = await insertResetLink(tx, { id, userId, tokenHash: hashToken(token), ttlSeconds });
  insertAuditEvents(tx, [
    {
      kind: 'company.reset_link',
      subjectType: 'account',
      subjectId: userId,
      ...(teamId === undefined ? {} : { teamId }),
      detail: { linkId: id, ttlSeconds },
    },
  ]);
  // In the fragment, which no log, proxy or Referer header sees.
  return { url: `${link.base}/reset#token=${token}`, expiresAt };
}

/**
 * Makes the link by which the server principal sets its first password, for an embedded start-up to print.
 * @param listeningUrl the address that is listened on; the link leads there where no other is configured
 */
export function issueOwnerResetLink(
  database: Database,
  principal: Pick<Principal, 'userId' | 'companyId'>,
  config: Pick<Config, 'identityUrl' | 'publicUrl'>,
  listeningUrl: string,
): Promise<IssuedLink> {
  const base = configuredLinkBase(config, listeningUrl);
  return transaction(database, companyScope(principal), (tx) =>
    createResetLink(tx, { userId: principal.userId, base, ttlSeconds: DEFAULT_RESET_LINK_SECONDS }),
  );
}
