import { Type } from 'typebox';
import { linkBase } from '../../../core/accounts/links.ts';
import {
  createInvitation,
  createInvite,
  resendInvitation,
  resendInvite,
  revokeInvitation,
  revokeInvite,
} from '../../../core/people/invites.ts';
import { addTeamMember } from '../../../core/people/members.ts';
import { listInvitations, listInvites } from '../../../core/people/queries.ts';
import { invalidField } from '../../../shared/errors.ts';
import { parseEmail } from '../../../shared/formats/names.ts';
import { parseId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import {
  AddedMember,
  CompanyInviteRequest,
  Invitation,
  Invite,
  InviteRequest,
  IssuedCompanyInvite,
  IssuedInvite,
} from '../../../shared/schemas/people.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany, withRight } from '../../http/guards.ts';
import { errorCodes } from '../../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../../http/requests.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/invitations: invites to become a Company Admin. */
export const companyInviteRoutes: Routes = (app, deps) => {
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
      answerPage(query, (part) => listInvitations(deps, companyScope(identity), part)),
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
          'once; with mail, another link is mailed to the email. 409 `conflict` for your own email, and for a Company Admin or Owner.',
        tags: ['company'],
        body: CompanyInviteRequest,
        response: { 201: IssuedCompanyInvite },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, body: { email, expiresInHours } }, reply) => {
      const draft = { email: parseEmail(email), expiresInHours, base: linkBase(deps.config, app.server) };
      const { invite, token, url } = await createInvitation(deps, companyScope(identity), draft);
      reply.code(201);
      return { invitation: invite, token, url };
    },
  );

  app.post(
    '/v1/company/invitations/:id/resend',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'resendInvitation',
        summary: 'Mail an invitation again',
        description:
          'For Company Owners. Mails another link; those before stay valid. 409 `conflict` if the invitation is not ' +
          'open. 404 `not_found` if the service sends no mail.',
        tags: ['company'],
        params: IdParams,
        response: { 200: Invitation },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, params }) => resendInvitation(deps, companyScope(identity), parseId(params.id)),
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
      await revokeInvitation(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};

/** Refuses a client that is listed twice: it would be unclear which access applies. */
function parseGrants(given: InviteRequest['grants'] = []): Invite['grants'] {
  const seen = new Set<string>();
  for (const [index, { clientId }] of given.entries()) {
    if (seen.has(clientId.toLowerCase())) {
      throw invalidField(`/grants/${index}/clientId`, 'is listed twice');
    }
    seen.add(clientId.toLowerCase());
  }
  return given.map(({ clientId, access }) => ({ clientId: parseId(clientId), access }));
}

/** Refuses what only an invite has in a request that names a member of the Company. */
function assertAddsMember({ email, expiresInHours }: InviteRequest): void {
  if (email !== undefined) throw invalidField('/email', 'cannot be combined with userId');
  if (expiresInHours !== undefined) throw invalidField('/expiresInHours', 'is allowed only with email');
}

/** /v1/team/invites */
export const teamInviteRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/invites',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'listInvites',
        summary: 'Invites into the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Invite) },
      },
    },
    async ({ teamScope, query }) => answerPage(query, (part) => listInvites(deps, teamScope, part)),
  );

  app.post(
    '/v1/team/invites',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'createInvite',
        summary: 'Invite someone into the Team, or add a member of the Company',
        description:
          'With `email`, a new invite replaces the open one to that email. Token and link are shown only this once; with ' +
          'mail, another link is mailed to the email. With `userId`, a member of the Company gets the role and the grants at ' +
          'once; GET /v1/team/people finds the id. An open invite to the email of that person ends. 409 `conflict` if you ' +
          'name yourself, or someone who has the role or a higher one.',
        tags: ['team'],
        body: InviteRequest,
        response: { 201: Type.Union([IssuedInvite, AddedMember]) },
        errors: errorCodes('forbidden', 'not_found', 'team_archived', 'conflict'),
      },
    },
    async ({ teamScope, body }, reply) => {
      const grants = parseGrants(body.grants);
      reply.code(201);
      if (body.userId !== undefined) {
        assertAddsMember(body);
        const userId = parseId(body.userId);
        return { member: await addTeamMember(deps, teamScope, { userId, role: body.role, grants }) };
      }
      const { role, expiresInHours } = body;
      if (body.email === undefined) throw invalidField('/', 'must have email or userId');
      // An invite does not make a Team Owner: who uses its link is known only by an address.
      if (role === 'owner') throw invalidField('/role', 'must be admin or member with email');
      const email = parseEmail(body.email);
      const base = linkBase(deps.config, app.server);
      return createInvite(deps, teamScope, { email, role, grants, expiresInHours, base });
    },
  );

  app.post(
    '/v1/team/invites/:id/resend',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'resendInvite',
        summary: 'Mail an invite again',
        description:
          'Mails another link; those before stay valid. 409 `conflict` if the invite is not open. 404 `not_found` if ' +
          'the service sends no mail.',
        tags: ['team'],
        params: IdParams,
        response: { 200: Invite },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ teamScope, params }) => resendInvite(deps, teamScope, parseId(params.id)),
  );

  app.delete(
    '/v1/team/invites/:id',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'revokeInvite',
        summary: 'Revoke an invite',
        description: '409 `conflict` if it is not open.',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
        errors: errorCodes('forbidden', 'conflict'),
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      await revokeInvite(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};
