import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { lockCompanyAs } from '../../../core/access/lock-and-recheck.ts';
import { createInvite, withdrawInvite } from '../../../core/identity/invites.ts';
import { linkBase } from '../../../core/identity/link-base.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { listInvites } from '../../../db/queries/identity/invites.ts';
import { readEmail } from '../../../shared/formats/email.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { InvitationRequest, Invite, IssuedInvitation } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/invitations: who may become an Admin of the Company. */
export const invitationsRoutes: Routes = (app, { database, config }) => {
  app.get(
    '/v1/company/invitations',
    {
      schema: {
        summary: 'Invitations, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Invite) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) =>
        transaction(database, companyScope(identity), (tx) => listInvites(tx, null, part)),
      ),
  );

  app.post(
    '/v1/company/invitations',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Invite someone to become a Company Admin',
        description:
          'For Company Owners. A new invitation replaces the open one to that email. Token and link are shown ' +
          'this once. 409 `conflict` for oneself, and for who is an Admin or Owner already.',
        tags: ['company'],
        body: InvitationRequest,
        response: { 201: IssuedInvitation },
      },
    },
    async ({ identity, body }, reply) => {
      const email = readEmail(body.email);
      const base = linkBase(config, app.server);
      const { expiresInHours } = body;
      const { invite, token, url } = await transaction(database, companyScope(identity), async (tx) => {
        await lockCompanyAs(tx, 'owner');
        const draft = { teamId: null, email, role: 'admin', expiresInHours, base } as const;
        const { result, audit } = await createInvite(tx, draft);
        insertAuditEvents(tx, audit);
        return result;
      });
      reply.code(201);
      return { invitation: invite, token, url };
    },
  );

  app.delete(
    '/v1/company/invitations/:id',
    {
      onRequest: owningCompany,
      schema: {
        summary: 'Withdraw an invitation',
        description: 'For Company Owners. 409 `conflict` where it is not open.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Withdrawn' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const id = knownId(params.id);
      await transaction(database, companyScope(identity), async (tx) => {
        await lockCompanyAs(tx, 'owner');
        const { audit } = await withdrawInvite(tx, null, id);
        insertAuditEvents(tx, audit);
      });
      reply.code(204);
    },
  );
};
