import { listAuditEvents } from '../../../core/identity/list-audit-events.ts';
import { AuditEvent, CompanyAuditQuery } from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { parseAuditFilter } from '../../request/audit-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'listCompanyAudit',
  summary: 'What happened in the whole Company, newest first; deleted Teams’ events too',
  tags: ['company'],
  querystring: CompanyAuditQuery,
  response: { 200: Page(AuditEvent) },
};

export const companyAuditRoute: Routes = (app, deps) => {
  app.get('/v1/company/audit', { onRequest: owningCompany, schema }, async ({ identity, query }) => {
    const filter = parseAuditFilter(query);
    return answerPage(query, (part) => listAuditEvents(deps, companyScope(identity), part, filter));
  });
};
