import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { giveCompanyGrant } from '../../../core/identity/company/give-company-grant.ts';
import { listCompanyGrants } from '../../../core/identity/company/lists.ts';
import { revokeCompanyGrant } from '../../../core/identity/company/revoke-company-grant.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { CompanyGrant, CompanyGrantRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const GrantParams = Type.Object({ userId: Type.String(), teamId: Type.String() });

/** /v1/company/grants: the access of Company Admins to Teams. */
export const companyGrantsRoutes: Routes = (app, deps) => {
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
        params: GrantParams,
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
        params: GrantParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const of = { userId: parseId(params.userId), teamId: parseId(params.teamId) };
      await revokeCompanyGrant(deps, companyScope(identity), of);
      reply.code(204);
    },
  );
};
