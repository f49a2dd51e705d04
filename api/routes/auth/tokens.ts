import { Type } from 'typebox';
import { createToken } from '../../../core/identity/tokens/create-token.ts';
import { listOwnTokens } from '../../../core/identity/tokens/list-tokens.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { IssuedToken, Token, TokenRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** /v1/auth/tokens: lists and creates agent tokens of the caller. */
export const ownTokensRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/auth/tokens',
    {
      schema: {
        operationId: 'listTokens',
        summary: 'Your agent tokens, newest first',
        description: 'Also expired and revoked ones.',
        tags: ['auth'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Token) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listOwnTokens(deps, companyScope(identity), part)),
  );

  app.post(
    '/v1/auth/tokens',
    {
      schema: {
        operationId: 'createToken',
        summary: 'Create an agent token',
        description:
          'For a program that acts for you in one Team. It can do what its permissions and your own rights both allow, ' +
          'in the Team layer and in the clients that you name. The token is shown only this once.',
        tags: ['auth'],
        body: TokenRequest,
        response: { 201: IssuedToken },
        errors: errorCodes('team_forbidden', 'not_found', 'team_archived'),
      },
    },
    async ({ identity, body }, reply) => {
      const issued = await createToken(deps, companyScope(identity), body);
      reply.code(201);
      return issued;
    },
  );
};
