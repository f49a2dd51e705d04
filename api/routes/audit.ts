import { listAuditEvents, verifyAudit } from '../../core/audit/queries.ts';
import {
  AuditEvent,
  AuditQuery,
  AuditVerification,
  AuditVerificationQuery,
  CompanyAuditQuery,
} from '../../shared/schemas/audit.ts';
import { Page } from '../../shared/schemas/common.ts';
import { companyScope } from '../../shared/scope.ts';
import { owningCompany, withRight } from '../http/guards.ts';
import { answerPage, parseAuditFilter, parseSeal } from '../http/requests.ts';
import type { Routes } from '../types.ts';

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

const schema = {
  operationId: 'listTeamAudit',
  summary: 'Audit events of the Team, newest first',
  tags: ['memory'],
  querystring: AuditQuery,
  response: { 200: Page(AuditEvent) },
};

/** GET /v1/memory/audit: the audit events of the Team, except those of archived clients. */
export const teamAuditRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/audit',
    { onRequest: withRight('readAudit'), config: { permission: 'audit:read' }, schema },
    async ({ teamScope, query }) => {
      const filter = parseAuditFilter(query);
      return answerPage(query, (part) => listAuditEvents(deps, teamScope, part, filter));
    },
  );
};
