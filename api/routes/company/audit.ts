import { listAuditEvents } from '../../../core/identity/list-audit-events.ts';
import { verifyAudit } from '../../../core/identity/verify-audit.ts';
import {
  AuditEvent,
  AuditVerification,
  AuditVerificationQuery,
  CompanyAuditQuery,
} from '../../../shared/schemas/audit.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { parseAuditFilter, parseSeal } from '../../request/audit-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const list = {
  operationId: 'listCompanyAudit',
  summary: 'What happened in the whole Company, newest first; deleted Teams’ events too',
  tags: ['company'],
  querystring: CompanyAuditQuery,
  response: { 200: Page(AuditEvent) },
};

const verify = {
  operationId: 'verifyAudit',
  summary: 'Verify the chain of hashes over the audit events of the Company',
  tags: ['company'],
  querystring: AuditVerificationQuery,
  response: { 200: AuditVerification },
};

/** /v1/company/audit: lists and verifies the audit events of the Company. */
export const companyAuditRoutes: Routes = (app, deps) => {
  app.get('/v1/company/audit', { onRequest: owningCompany, schema: list }, async ({ identity, query }) => {
    const filter = parseAuditFilter(query);
    return answerPage(query, (part) => listAuditEvents(deps, companyScope(identity), part, filter));
  });

  app.get(
    '/v1/company/audit/verify',
    { onRequest: owningCompany, schema: verify },
    async ({ identity, query }) => verifyAudit(deps, companyScope(identity), parseSeal(query.seal)),
  );
};
