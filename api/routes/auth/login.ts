import { normalizeIP } from '@fastify/rate-limit';
import { checkPassword } from '../../../core/identity/password-attempts.ts';
import { startSession } from '../../../core/identity/session-view.ts';
import { transaction, withoutScope } from '../../../db/driver/database.ts';
import { findSignIn, lockAccount, lockPasswordHash } from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { canonicalEmail } from '../../../shared/formats/email.ts';
import { LoginRequest, Session } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Sign in',
  description: 'An unknown email and a wrong password look alike, in the answer and in its time.',
  tags: ['auth'],
  security: [],
  body: LoginRequest,
  response: { 200: Session },
};

export const loginRoute: Routes = (app, deps) => {
  const { database, config } = deps;
  app.post('/v1/auth/login', { schema }, async (request) => {
    const { password } = request.body;
    const email = canonicalEmail(request.body.email);
    const found = await withoutScope(database, (tx) => findSignIn(tx, email));
    const passwordHash = found?.passwordHash ?? null;
    await checkPassword(deps, { address: normalizeIP(request.ip), email, passwordHash, password });
    // Without an account no password was right.
    if (found === null) throw new ServiceError('invalid_credentials');
    return transaction(database, companyScope(found), async (tx) => {
      // One sign-in of an account after the other: each ends what is too many with it.
      await lockAccount(tx, found.userId);
      // A reset that came between ended every session: one begun with the old password must not outlive it.
      if ((await lockPasswordHash(tx)) !== found.passwordHash) throw new ServiceError('invalid_credentials');
      const { sessionId, session } = await startSession(tx, request.headers['user-agent'], config);
      insertAuditEvents(tx, [{ kind: 'auth.login', subjectType: 'session', subjectId: sessionId }]);
      return session;
    });
  });
};
