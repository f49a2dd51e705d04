import { resetPassword } from '../../../core/identity/sign-in/reset-password.ts';
import { ResetRequest, Session } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'resetPassword',
  summary: 'Set a password by a reset link',
  description:
    'Uses the link, ends every other session of the user and revokes their other open links. Errors: ' +
    '404 `not_found` for an unknown token; 410 `token_used`, `token_expired`, `token_revoked`.',
  tags: ['auth'],
  body: ResetRequest,
  response: { 200: Session },
  errors: errorCodes('not_found', 'token_used', 'token_expired', 'token_revoked'),
};

export const resetRoute: Routes = (app, deps) => {
  app.post('/v1/auth/reset', { schema }, async ({ body, headers }) =>
    resetPassword(deps, { ...body, userAgent: headers['user-agent'] }),
  );
};
