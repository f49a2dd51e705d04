import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { inviteCompanyAdmin } from '../../../core/identity/company/invite-company-admin.ts';
import { listCompanyInvites } from '../../../core/identity/company/lists.ts';
import { revokeCompanyInvite } from '../../../core/identity/company/revoke-company-invite.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { parseEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { CompanyInviteRequest, Invitation, IssuedCompanyInvite } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/invitations: invites to become a Company Admin. */
export const invitationsRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/invitations',
    {
      schema: {
        operationId: 'listInvitations',
        summary: 'Invitations, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Invitation) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listCompanyInvites(deps, companyScope(identity), part)),
  );

  app.post(
    '/v1/company/invitations',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'createInvitation',
        summary: 'Invite someone to become a Company Admin',
        description:
          'For Company Owners. A new invitation replaces the open one to that email. Token and link are shown only ' +
          'once. 409 `conflict` for your own email, and for a Company Admin or Owner.',
        tags: ['company'],
        body: CompanyInviteRequest,
        response: { 201: IssuedCompanyInvite },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, body: { email, expiresInHours } }, reply) => {
      const draft = { email: parseEmail(email), expiresInHours, base: linkBase(deps.config, app.server) };
      const { invite, token, url } = await inviteCompanyAdmin(deps, companyScope(identity), draft);
      reply.code(201);
      return { invitation: invite, token, url };
    },
  );

  app.delete(
    '/v1/company/invitations/:id',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Withdraw an invitation',
        description: 'For Company Owners. 409 `conflict` if it is not open.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Withdrawn' } },
        errors: errorCodes('conflict'),
      } as const,
    },
    async ({ identity, params }, reply) => {
      await revokeCompanyInvite(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};
