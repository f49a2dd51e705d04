import { parseId } from '../../../core/access/parse-id.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { createMemberResetLink } from '../../../core/identity/reset-links/create-member-reset-link.ts';
import { createOwnerResetLink } from '../../../core/identity/reset-links/create-owner-reset-link.ts';
import { canonicalEmail } from '../../../shared/formats/email.ts';
import {
  DEFAULT_RESET_LINK_SECONDS,
  MemberResetLinkRequest,
  ResetLink,
  ResetLinkRequest,
} from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** Links that set a new password. Company Owners create them for others. */
export const resetLinksRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/company/reset-links',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'createOwnerResetLink',
        summary: 'Create a reset link for an Owner',
        description:
          'For Company Owners. 404 `not_found` unless the email is of an Owner of the Team or of the Company. A new ' +
          'link replaces the open one of that person. The link is shown only once.',
        tags: ['company'],
        body: ResetLinkRequest,
        response: { 201: ResetLink },
        errors: errorCodes('not_found'),
      },
    },
    async ({ identity, body }, reply) => {
      const { baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } = body;
      const base = linkBase(deps.config, app.server, baseUrl);
      const owner = { teamId: parseId(body.teamId), email: canonicalEmail(body.email) };
      const link = await createOwnerResetLink(deps, companyScope(identity), { ...owner, base, ttlSeconds });
      reply.code(201);
      return link;
    },
  );

  app.post(
    '/v1/company/members/:userId/reset-link',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'createMemberResetLink',
        summary: 'Create a reset link for a member who forgot the password',
        description:
          'For Company Owners. A new link replaces the open one of that person. The link is shown only once.',
        tags: ['company'],
        params: UserParams,
        body: MemberResetLinkRequest,
        response: { 201: ResetLink },
      },
    },
    async ({ identity, params, body: { baseUrl, ttlSeconds = DEFAULT_RESET_LINK_SECONDS } }, reply) => {
      const base = linkBase(deps.config, app.server, baseUrl);
      const userId = parseId(params.userId);
      const link = await createMemberResetLink(deps, companyScope(identity), { userId, base, ttlSeconds });
      reply.code(201);
      return link;
    },
  );
};
