import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { giveClientGrant } from '../../../core/identity/clients/give-client-grant.ts';
import { revokeClientGrant } from '../../../core/identity/clients/revoke-client-grant.ts';
import { listClientGrants } from '../../../core/identity/team/lists.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { ClientGrant, ClientGrantRequest } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withRight } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const GrantParams = Type.Object({ userId: Type.String(), clientId: Type.String() });

/** /v1/team/grants: the access of members to clients. */
export const grantsRoutes: Routes = (app, deps) => {
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
        params: GrantParams,
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
        params: GrantParams,
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
