import { logOut } from '../../../core/identity/sign-in/log-out.ts';
import { LogoutRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'logout',
  summary: 'Sign out',
  description:
    'Ends the session that the request is sent with, or with `everywhere` every session of the user. The ' +
    'service token is not a session and remains valid.',
  tags: ['auth'],
  body: LogoutRequest,
  response: { 204: { type: 'null', description: 'Signed out' } },
} as const;

export const logoutRoute: Routes = (app, deps) => {
  app.post('/v1/auth/logout', { schema }, async ({ identity, body }, reply) => {
    const sessionId = identity.session?.id ?? null;
    await logOut(deps, companyScope(identity), { sessionId, everywhere: body.everywhere === true });
    reply.code(204);
  });
};
