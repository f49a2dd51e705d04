import { tokenRefusal } from '../../../core/identity/token-refusal.ts';
import { withoutScope } from '../../../db/driver/database.ts';
import { findLink } from '../../../db/queries/identity/links.ts';
import { Link, LinkRequest } from '../../../shared/schemas/identity.ts';
import { hashToken } from '../../../shared/tokens.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'What a one-time link is for',
  description:
    'For the page of a reset link, an invite or an invitation. Does not use the token. Refusals: 404 `not_found` for ' +
    'an unknown token; 410 `token_used`, `token_expired`, `token_revoked`.',
  tags: ['auth'],
  security: [],
  body: LinkRequest,
  response: { 200: Link },
};

export const linkRoute: Routes = (app, { database }) => {
  app.post('/v1/auth/link', { schema }, async ({ body }) => {
    const found = await withoutScope(database, (tx) => findLink(tx, hashToken(body.token)));
    if (found?.state !== 'open') throw tokenRefusal(found?.state ?? null);
    return found.link;
  });
};
