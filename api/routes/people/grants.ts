import { Type } from 'typebox';
import {
  decideAccessRequest,
  giveClientGrant,
  giveCompanyGrant,
  requestAccess,
  revokeClientGrant,
  revokeCompanyGrant,
} from '../../../core/people/grants.ts';
import { listAccessRequests, listClientGrants, listCompanyGrants } from '../../../core/people/queries.ts';
import { parseId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import {
  AccessRequest,
  ClientGrant,
  ClientGrantRequest,
  CompanyGrant,
  CompanyGrantRequest,
  NewAccessRequest,
} from '../../../shared/schemas/people.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany, withRight } from '../../http/guards.ts';
import { errorCodes } from '../../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../../http/requests.ts';
import type { Routes } from '../../types.ts';

const CompanyGrantParams = Type.Object({ userId: Type.String(), teamId: Type.String() });

const DECISIONS = [
  {
    verb: 'approve',
    operationId: 'approveAccessRequest',
    state: 'approved',
    summary: 'Approve an access request, which makes the grant',
    errors: errorCodes('conflict', 'team_archived'),
  },
  {
    verb: 'deny',
    operationId: 'denyAccessRequest',
    state: 'denied',
    summary: 'Deny an access request',
    errors: errorCodes('conflict'),
  },
] as const;

/** /v1/company/grants, /v1/company/access-requests */
export const companyGrantRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/grants',
    {
      schema: {
        operationId: 'listCompanyGrants',
        summary: 'Company grants, newest first',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(CompanyGrant) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listCompanyGrants(deps, companyScope(identity), part)),
  );

  app.put(
    '/v1/company/grants/:userId/:teamId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'giveCompanyGrant',
        summary: 'Give a Company Admin access to a Team',
        description: 'For Company Owners. 409 `conflict` if the person is not a Company Admin.',
        tags: ['company'],
        params: CompanyGrantParams,
        body: CompanyGrantRequest,
        response: { 200: CompanyGrant },
        errors: errorCodes('conflict', 'team_archived'),
      },
    },
    async ({ identity, params, body: { access } }) => {
      const grant = { userId: parseId(params.userId), teamId: parseId(params.teamId), access };
      return giveCompanyGrant(deps, companyScope(identity), grant);
    },
  );

  app.delete(
    '/v1/company/grants/:userId/:teamId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'revokeCompanyGrant',
        summary: 'Revoke a Company grant',
        description: 'For Company Owners.',
        tags: ['company'],
        params: CompanyGrantParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const of = { userId: parseId(params.userId), teamId: parseId(params.teamId) };
      await revokeCompanyGrant(deps, companyScope(identity), of);
      reply.code(204);
    },
  );

  app.get(
    '/v1/company/access-requests',
    {
      schema: {
        operationId: 'listAccessRequests',
        summary: 'Access requests, newest first; a Company Admin sees only their own',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(AccessRequest) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) =>
        listAccessRequests(deps, companyScope(identity), part, identity.companyRole),
      ),
  );

  app.post(
    '/v1/company/access-requests',
    {
      schema: {
        operationId: 'requestAccess',
        summary: 'Request access to a Team',
        description:
          '409 `conflict` if you already have this access (Company Owners have it in every Team), or already have ' +
          'an open request for the Team.',
        tags: ['company'],
        body: NewAccessRequest,
        response: { 201: AccessRequest },
        errors: errorCodes('not_found', 'conflict', 'team_archived', 'secret_detected'),
      },
    },
    async ({ identity, body }, reply) => {
      const { access, reason = null } = body;
      const requested = { teamId: parseId(body.teamId), access, reason };
      const made = await requestAccess(deps, companyScope(identity), requested);
      reply.code(201);
      return made;
    },
  );

  for (const { verb, operationId, state, summary, errors } of DECISIONS) {
    app.post(
      `/v1/company/access-requests/:id/${verb}`,
      {
        onRequest: owningCompany,
        schema: {
          operationId,
          summary,
          description: 'For Company Owners. 409 `conflict` if the request was decided already.',
          tags: ['company'],
          params: IdParams,
          response: { 200: AccessRequest },
          errors,
        },
      },
      async ({ identity, params }) =>
        decideAccessRequest(deps, companyScope(identity), { id: parseId(params.id), state }),
    );
  }
};

const ClientGrantParams = Type.Object({ userId: Type.String(), clientId: Type.String() });

/** /v1/team/grants: the access of members to clients. */
export const teamGrantRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/grants',
    {
      config: { permission: 'any' },
      schema: {
        operationId: 'listClientGrants',
        summary: 'Grants for clients, newest first; without Full access your own',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(ClientGrant) },
      },
    },
    async ({ teamScope, query }) => answerPage(query, (part) => listClientGrants(deps, teamScope, part)),
  );

  app.put(
    '/v1/team/grants/:userId/:clientId',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'giveClientGrant',
        summary: 'Give a member access to a client',
        tags: ['team'],
        params: ClientGrantParams,
        body: ClientGrantRequest,
        response: { 200: ClientGrant },
        errors: errorCodes('team_archived'),
      },
    },
    async ({ teamScope, params, body: { access } }) => {
      const grant = { userId: parseId(params.userId), clientId: parseId(params.clientId), access };
      return giveClientGrant(deps, teamScope, grant);
    },
  );

  app.delete(
    '/v1/team/grants/:userId/:clientId',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'revokeClientGrant',
        summary: 'Revoke a grant for a client',
        tags: ['team'],
        params: ClientGrantParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      const of = { userId: parseId(params.userId), clientId: parseId(params.clientId) };
      await revokeClientGrant(deps, teamScope, of);
      reply.code(204);
    },
  );
};
