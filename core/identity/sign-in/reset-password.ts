import { withoutScope } from '../../../db/driver/database.ts';
import { lockAccounts, updatePasswordHash } from '../../../db/queries/identity/accounts.ts';
import { findResetLink, revokeResetLinks, useResetLink } from '../../../db/queries/identity/reset-links.ts';
import { deleteSessions } from '../../../db/queries/identity/sessions.ts';
import type { Session } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { startSession } from './start-session.ts';
import { tokenRefusal } from './token-refusal.ts';

/**
 * Uses a reset link: sets the password of its account, ends every session of the user, revokes their other open links
 * and starts a session.
 * @returns the session with its token, which is shown only this once
 * @throws ServiceError `not_found`, `token_used`, `token_expired`, `token_revoked`
 */
export async function resetPassword(
  { database, config, passwords }: Pick<Dependencies, 'database' | 'config' | 'passwords'>,
  { token, newPassword, userAgent }: { token: string; newPassword: string; userAgent: string | undefined },
): Promise<Session> {
  const tokenHash = hashToken(token);
  // Before the hashing, which is slow: a stranger without a link must not make the service hash.
  const link = await withoutScope(database, (tx) => findResetLink(tx, tokenHash));
  if (link?.state !== 'open') throw tokenRefusal(link?.state ?? null);
  const { userId, id: linkId } = link;
  return runCommand(database, companyScope(link), {
    prepare: () => passwords.hash(newPassword),
    lock: (tx) => lockAccounts(tx, [userId], 'update'),
    apply: async (tx, open, passwordHash) => {
      // Hashing takes time: the link can have been used, or the account closed.
      const isMine = open.has(userId) && (await useResetLink(tx, linkId));
      if (!isMine) throw tokenRefusal((await findResetLink(tx, tokenHash))?.state ?? null);
      await updatePasswordHash(tx, passwordHash);
      await deleteSessions(tx);
      await revokeResetLinks(tx, userId);
      const { result, audit } = await startSession(tx, userAgent, config);
      const { sessionId, session } = result;
      const detail = { linkId, sessionId };
      return {
        result: session,
        audit: [...audit, { kind: 'auth.password_reset', subjectType: 'account', subjectId: userId, detail }],
      };
    },
  });
}
