import { transaction } from '../../../db/database.ts';
import { findOwner } from '../../../db/queries/accounts.ts';
import { canonicalEmail } from '../../../shared/email.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { DEFAULT_RESET_LINK_SECONDS, ResetLink, ResetLinkRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import type { Routes } from '../../app.ts';
import { linkBase } from '../../links/base.ts';
import { createResetLink } from '../../links/reset-link.ts';
import { owningCompany } from '../../plugins/guards.ts';

const schema = {
  summary: 'Make a reset link for an Owner',
  description:
    'For Company Owners. The email is that of an Owner of the Team or of the Company, else 404 `not_found`. ' +
    'A new link replaces the open one of that person. The link is shown this once.',
  tags: ['company'],
  body: ResetLinkRequest,
  response: { 201: ResetLink },
};

export const resetLinksRoute: Routes = (app, { database, config }) => {
  app.post('/v1/company/reset-links', { schema, onRequest: owningCompany }, async (request, reply) => {
    const { teamId, email, baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } = request.body;
    const base = linkBase(config, app.server, baseUrl);
    const link = await transaction(database, companyScope(request.identity), async (tx) => {
      const owner = isId(teamId) ? await findOwner(tx, teamId, canonicalEmail(email)) : null;
      if (owner === null) throw new ServiceError('not_found');
      return createResetLink(tx, { userId: owner.userId, teamId: teamId.toLowerCase(), base, ttlSeconds });
    });
    reply.code(201);
    return { url: link.url, expiresAt: link.expiresAt.toISOString() };
  });
};
