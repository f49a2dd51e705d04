import { startSession } from '../../../core/identity/session-view.ts';
import { tokenRefusal } from '../../../core/identity/token-refusal.ts';
import { transaction, withoutScope } from '../../../db/driver/database.ts';
import { lockAccount, updatePasswordHash } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { findResetLink, revokeResetLinks, useResetLink } from '../../../db/queries/identity/reset-links.ts';
import { deleteSessions } from '../../../db/queries/identity/sessions.ts';
import { ResetRequest, Session } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { hashToken } from '../../../shared/tokens.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Set a password by a reset link',
  description:
    'Uses the link up, ends every other session of the user and withdraws their other open links. Refusals: ' +
    '404 `not_found` for an unknown token; 410 `token_used`, `token_expired`, `token_revoked`.',
  tags: ['auth'],
  security: [],
  body: ResetRequest,
  response: { 200: Session },
};

export const resetRoute: Routes = (app, { database, config, passwords }) => {
  app.post('/v1/auth/reset', { schema }, async (request) => {
    const { token, newPassword } = request.body;
    const tokenHash = hashToken(token);
    // Before the password is hashed: a stranger without a link costs no more than a look.
    const link = await withoutScope(database, (tx) => findResetLink(tx, tokenHash));
    if (link?.state !== 'open') throw tokenRefusal(link?.state ?? null);
    const passwordHash = await passwords.hash(newPassword);
    const { userId } = link;
    return transaction(database, companyScope(link), async (tx) => {
      // Hashing took its time, and others may hold the same link: who has the account decides.
      const mine = (await lockAccount(tx, userId)) && (await useResetLink(tx, link.id));
      if (!mine) throw tokenRefusal((await findResetLink(tx, tokenHash))?.state ?? null);
      await updatePasswordHash(tx, passwordHash);
      await deleteSessions(tx);
      await revokeResetLinks(tx, userId);
      const { sessionId, session } = await startSession(tx, request.headers['user-agent'], config);
      insertAuditEvents(tx, [
        {
          kind: 'auth.password_reset',
          subjectType: 'account',
          subjectId: userId,
          detail: { linkId: link.id, sessionId },
        },
      ]);
      return session;
    });
  });
};
