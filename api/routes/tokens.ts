import { Type } from 'typebox';
import {
  createToken,
  revokeCompanyToken,
  revokeTeamToken,
  revokeToken,
  rotateToken,
} from '../../core/tokens/commands.ts';
import { listTokens, listTokensIn } from '../../core/tokens/queries.ts';
import { parseId } from '../../shared/ids.ts';
import { Page, PageQuery } from '../../shared/schemas/common.ts';
import { IssuedToken, RotateTokenRequest, Token, TokenRequest } from '../../shared/schemas/tokens.ts';
import { companyScope } from '../../shared/scope.ts';
import { owningCompany, withRight } from '../http/guards.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import { answerPage, IdParams } from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** /v1/auth/tokens */
export const ownTokenRoutes: Routes = (app, deps) => {
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
      answerPage(query, (part) => listTokens(deps, companyScope(identity), part)),
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
      const issued = await createToken(deps, companyScope(identity), identity.session?.id ?? null, body);
      reply.code(201);
      return issued;
    },
  );

  app.post(
    '/v1/auth/tokens/:id/rotate',
    {
      schema: {
        operationId: 'rotateToken',
        summary: 'Give one of your agent tokens a new secret',
        description:
          'The old secret can be used until the overlap ends. `expiresAt` does not change. 409 `conflict` if the token ' +
          'is not active.',
        tags: ['auth'],
        params: IdParams,
        body: RotateTokenRequest,
        response: { 201: IssuedToken },
        errors: errorCodes('conflict'),
      },
    },
    async ({ identity, params, body }, reply) => {
      const rotation = { id: parseId(params.id), overlapHours: body.overlapHours ?? 0 };
      const issued = await rotateToken(deps, companyScope(identity), rotation);
      reply.code(201);
      return issued;
    },
  );

  app.delete(
    '/v1/auth/tokens/:id',
    {
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke one of your agent tokens',
        description: 'Every secret of it ends now, also one in an overlap.',
        tags: ['auth'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      await revokeToken(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};

/** /v1/team/tokens: lists and revokes the agent tokens for the Team, of everyone. */
export const teamTokenRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/tokens',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'listTeamTokens',
        summary: 'Agent tokens for the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Token) },
      },
    },
    async ({ teamScope, query }) => answerPage(query, (part) => listTokensIn(deps, teamScope, part)),
  );

  app.delete(
    '/v1/team/tokens/:id',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'revokeTeamToken',
        summary: 'Revoke an agent token for the Team',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      await revokeTeamToken(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};

/** /v1/company/tokens: lists and revokes the agent tokens of everyone in the Company. */
export const companyTokenRoutes: Routes = (app, deps) => {
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
      answerPage(query, (part) => listTokensIn(deps, companyScope(identity), part)),
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
