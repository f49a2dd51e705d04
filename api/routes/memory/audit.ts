import { listAuditEvents } from '../../../core/identity/list-audit-events.ts';
import { AuditEvent, AuditQuery } from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { withRight } from '../../plugins/guards.ts';
import { parseAuditFilter } from '../../request/audit-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'listTeamAudit',
  summary: 'Audit events of the Team, newest first',
  tags: ['memory'],
  querystring: AuditQuery,
  response: { 200: Page(AuditEvent) },
};

/** GET /v1/memory/audit: the audit events of the Team, except those of archived clients. */
export const auditRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/audit',
    { onRequest: withRight('readAudit'), config: { permission: 'audit:read' }, schema },
    async ({ teamScope, query }) => {
      const filter = parseAuditFilter(query);
      return answerPage(query, (part) => listAuditEvents(deps, teamScope, part, filter));
    },
  );
};
