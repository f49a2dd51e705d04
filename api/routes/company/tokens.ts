import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { listTokens } from '../../../core/identity/tokens/list-tokens.ts';
import { revokeCompanyToken } from '../../../core/identity/tokens/revoke-token.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Token } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/tokens: lists and revokes the agent tokens of everyone in the Company. */
export const companyTokensRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/tokens',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'listCompanyTokens',
        summary: 'Agent tokens of the Company, newest first',
        description: 'For Company Owners.',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Token) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listTokens(deps, companyScope(identity), part)),
  );

  app.delete(
    '/v1/company/tokens/:id',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'revokeCompanyToken',
        summary: 'Revoke an agent token of the Company',
        description: 'For Company Owners.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      await revokeCompanyToken(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};
