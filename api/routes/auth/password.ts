import { normalizeIP } from '@fastify/rate-limit';
import { checkPassword } from '../../../core/identity/password-attempts.ts';
import { transaction, withoutScope } from '../../../db/driver/database.ts';
import {
  findSignIn,
  lockAccount,
  lockPasswordHash,
  updatePasswordHash,
} from '../../../db/queries/identity/accounts.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { revokeResetLinks } from '../../../db/queries/identity/reset-links.ts';
import { deleteSessions } from '../../../db/queries/identity/sessions.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { PasswordRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Change the password',
  description: 'Ends every other session of the user and withdraws their open reset links.',
  tags: ['auth'],
  body: PasswordRequest,
  response: { 204: { type: 'null', description: 'Changed' } },
} as const;

export const passwordRoute: Routes = (app, deps) => {
  const { database, passwords } = deps;
  app.post('/v1/auth/password', { schema }, async (request, reply) => {
    const { identity } = request;
    const { currentPassword, newPassword } = request.body;
    const { userId, email } = identity;
    const present = (await withoutScope(database, (tx) => findSignIn(tx, email)))?.passwordHash ?? null;
    await checkPassword(deps, {
      address: normalizeIP(request.ip),
      email,
      passwordHash: present,
      password: currentPassword,
    });
    const passwordHash = await passwords.hash(newPassword);
    await transaction(database, companyScope(identity), async (tx) => {
      if (!(await lockAccount(tx, userId))) throw new ServiceError('unauthenticated');
      // Hashing took its time: a change that came between ended this session, and must not be undone by it.
      if ((await lockPasswordHash(tx)) !== present) throw new ServiceError('invalid_credentials');
      await updatePasswordHash(tx, passwordHash);
      await deleteSessions(tx, identity.session?.id ?? null);
      await revokeResetLinks(tx, userId);
      insertAuditEvents(tx, [{ kind: 'auth.password_change', subjectType: 'account', subjectId: userId }]);
    });
    reply.code(204);
  });
};
