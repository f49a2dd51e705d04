import { findOpenLink } from '../../../core/identity/sign-in/find-open-link.ts';
import { Link, LinkRequest } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'readLink',
  summary: 'Describe a one-time link',
  description:
    'For the page of a reset link, an invite or an invitation. Does not use the token. Errors: 404 `not_found` for ' +
    'an unknown token; 410 `token_used`, `token_expired`, `token_revoked`.',
  tags: ['auth'],
  body: LinkRequest,
  response: { 200: Link },
  errors: errorCodes('not_found', 'token_used', 'token_expired', 'token_revoked'),
};

export const linkRoute: Routes = (app, deps) => {
  app.post('/v1/auth/link', { schema }, async ({ body }) => findOpenLink(deps, body.token));
};
