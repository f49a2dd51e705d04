import { transaction } from '../../../db/driver/database.ts';
import { lockAccount } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { deleteSession, deleteSessions } from '../../../db/queries/identity/sessions.ts';
import { LogoutRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Sign out',
  description:
    'Ends the session that the request is sent with, or with `everywhere` every session of the user. The ' +
    'service token is no session and stays.',
  tags: ['auth'],
  body: LogoutRequest,
  response: { 204: { type: 'null', description: 'Signed out' } },
} as const;

export const logoutRoute: Routes = (app, { database }) => {
  app.post('/v1/auth/logout', { schema }, async (request, reply) => {
    const { identity } = request;
    const everywhere = request.body.everywhere === true;
    const sessionId = identity.session?.id ?? null;
    reply.code(204);
    if (!everywhere && sessionId === null) return;
    await transaction(database, companyScope(identity), async (tx) => {
      if (everywhere) {
        await lockAccount(tx, identity.userId);
        await deleteSessions(tx);
      } else if (sessionId !== null && !(await deleteSession(tx, sessionId))) {
        // Ended by another request this moment, which recorded it.
        return;
      }
      insertAuditEvents(tx, [
        { kind: 'auth.logout', subjectType: 'session', subjectId: sessionId, detail: { everywhere } },
      ]);
    });
  });
};
