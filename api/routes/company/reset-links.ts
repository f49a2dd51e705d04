import { knownId } from '../../../core/access/known-id.ts';
import { lockCompanyAs } from '../../../core/access/lock-and-recheck.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { createResetLink } from '../../../core/identity/reset-link.ts';
import { transaction } from '../../../db/driver/database.ts';
import { findOwner } from '../../../db/queries/identity/accounts.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { canonicalEmail } from '../../../shared/formats/email.ts';
import {
  DEFAULT_RESET_LINK_SECONDS,
  MemberResetLinkRequest,
  ResetLink,
  ResetLinkRequest,
} from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** Links by which someone sets a new password, made by a Company Owner. */
export const resetLinksRoutes: Routes = (app, { database, config }) => {
  app.post(
    '/v1/company/reset-links',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Make a reset link for an Owner',
        description:
          'For Company Owners. The email is that of an Owner of the Team or of the Company, else 404 `not_found`. ' +
          'A new link replaces the open one of that person. The link is shown this once.',
        tags: ['company'],
        body: ResetLinkRequest,
        response: { 201: ResetLink },
      },
    },
    async (request, reply) => {
      const { email, baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } = request.body;
      const base = linkBase(config, app.server, baseUrl);
      const teamId = knownId(request.body.teamId);
      const link = await transaction(database, companyScope(request.identity), async (tx) => {
        await lockCompanyAs(tx, 'owner');
        const owner = await findOwner(tx, teamId, canonicalEmail(email));
        if (owner === null) throw new ServiceError('not_found');
        return createResetLink(tx, { userId: owner.userId, teamId, base, ttlSeconds });
      });
      reply.code(201);
      return { url: link.url, expiresAt: link.expiresAt.toISOString() };
    },
  );

  app.post(
    '/v1/company/members/:userId/reset-link',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Make a reset link for a member who forgot the password',
        description: 'For Company Owners. A new link replaces the open one of that person. Shown this once.',
        tags: ['company'],
        params: UserParams,
        body: MemberResetLinkRequest,
        response: { 201: ResetLink },
      },
    },
    async (request, reply) => {
      const { baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } = request.body;
      const base = linkBase(config, app.server, baseUrl);
      const userId = knownId(request.params.userId);
      const link = await transaction(database, companyScope(request.identity), async (tx) => {
        await lockCompanyAs(tx, 'owner');
        return createResetLink(tx, { userId, base, ttlSeconds });
      });
      reply.code(201);
      return { url: link.url, expiresAt: link.expiresAt.toISOString() };
    },
  );
};
