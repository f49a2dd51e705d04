import { normalizeIP } from '@fastify/rate-limit';
import { changePassword } from '../../../core/identity/sign-in/change-password.ts';
import { PasswordRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'changePassword',
  summary: 'Change the password',
  description: 'Ends every other session of the user and revokes their open reset links.',
  tags: ['auth'],
  body: PasswordRequest,
  response: { 204: { type: 'null', description: 'Changed' } },
  errors: errorCodes('invalid_credentials'),
} as const;

export const passwordRoute: Routes = (app, deps) => {
  app.post('/v1/auth/password', { schema }, async ({ identity, body, ip }, reply) => {
    await changePassword(deps, companyScope(identity), {
      email: identity.email,
      password: body.currentPassword,
      newPassword: body.newPassword,
      address: normalizeIP(ip),
      sessionId: identity.session?.id ?? null,
    });
    reply.code(204);
  });
};
