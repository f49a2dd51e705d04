import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { listTokens } from '../../../core/identity/tokens/list-tokens.ts';
import { revokeTeamToken } from '../../../core/identity/tokens/revoke-token.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Token } from '../../../shared/schemas/identity.ts';
import { withRight } from '../../plugins/guards.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/team/tokens: lists and revokes the agent tokens for the Team, of everyone. */
export const teamTokensRoutes: Routes = (app, deps) => {
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
    async ({ teamScope, query }) => answerPage(query, (part) => listTokens(deps, teamScope, part)),
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
