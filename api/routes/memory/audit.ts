import { transaction } from '../../../db/database.ts';
import { listAuditEvents } from '../../../db/queries/audit.ts';
import { AuditEvent, AuditQuery } from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import type { Routes } from '../../app.ts';
import { readAuditFilter } from '../../audit-filter.ts';
import { answerPage } from '../../pagination.ts';
import { withFullAccess } from '../../plugins/guards.ts';

const schema = {
  summary: 'What happened in the Team, newest first',
  tags: ['memory'],
  querystring: AuditQuery,
  response: { 200: Page(AuditEvent) },
};

/** GET /v1/memory/audit: but for what lies in archived clients, which are as if they did not exist. */
export const auditRoute: Routes = (app, { database }) => {
  app.get('/v1/memory/audit', { onRequest: withFullAccess, schema }, async ({ teamScope, query }) => {
    const filter = readAuditFilter(query);
    return answerPage(query, (part) =>
      transaction(database, teamScope, (tx) => listAuditEvents(tx, part, filter)),
    );
  });
};
