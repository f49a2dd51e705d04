import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { deleteSession, listSessions } from '../../../db/queries/identity/sessions.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { SessionRecord } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/auth/sessions: where the caller is signed in, and the end of each. */
export const sessionsRoutes: Routes = (app, { database, config }) => {
  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        summary: 'Your sessions, newest first',
        tags: ['auth'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(SessionRecord) },
      },
    },
    async ({ identity, query }) => {
      const page = await answerPage(query, (part) =>
        transaction(database, companyScope(identity), (tx) => listSessions(tx, part, config)),
      );
      const current = identity.session?.id;
      return { ...page, items: page.items.map((item) => ({ ...item, current: item.id === current })) };
    },
  );

  app.delete(
    '/v1/auth/sessions/:id',
    {
      schema: {
        summary: 'End one of your sessions',
        tags: ['auth'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Ended' } },
      } as const,
    },
    async ({ identity, params }, reply) => {
      const id = knownId(params.id);
      await transaction(database, companyScope(identity), async (tx) => {
        if (!(await deleteSession(tx, id))) throw new ServiceError('not_found');
        insertAuditEvents(tx, [{ kind: 'auth.session_end', subjectType: 'session', subjectId: id }]);
      });
      reply.code(204);
    },
  );
};
