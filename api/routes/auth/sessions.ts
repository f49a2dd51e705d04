import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { endSession } from '../../../core/identity/sign-in/end-session.ts';
import { listSessions } from '../../../core/identity/sign-in/list-sessions.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { SessionRecord } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/auth/sessions: lists and ends the sessions of the caller. */
export const sessionsRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        operationId: 'listSessions',
        summary: 'Your sessions, newest first',
        tags: ['auth'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(SessionRecord) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) => listSessions(deps, companyScope(identity), part, identity.session?.id)),
  );

  app.delete(
    '/v1/auth/sessions/:id',
    {
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        tags: ['auth'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Ended' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      await endSession(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};
