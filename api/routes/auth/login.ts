import { normalizeIP } from '@fastify/rate-limit';
import { logIn } from '../../../core/identity/sign-in/log-in.ts';
import { canonicalEmail } from '../../../shared/formats/email.ts';
import { LoginRequest, Session } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'login',
  summary: 'Sign in',
  description: 'An unknown email and a wrong password get the same response, after the same time.',
  tags: ['auth'],
  body: LoginRequest,
  response: { 200: Session },
  errors: errorCodes('invalid_credentials'),
};

export const loginRoute: Routes = (app, deps) => {
  app.post('/v1/auth/login', { schema }, async ({ body, ip, headers }) =>
    logIn(deps, {
      email: canonicalEmail(body.email),
      password: body.password,
      address: normalizeIP(ip),
      userAgent: headers['user-agent'],
    }),
  );
};
