import { verifyAudit } from '../../../core/identity/verify-audit.ts';
import { AuditVerification } from '../../../shared/schemas/audit.ts';
import { companyScope } from '../../../shared/scope.ts';
import { owningCompany } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'verifyAudit',
  summary: 'Verify the chain of hashes over the audit events of the Company',
  tags: ['company'],
  response: { 200: AuditVerification },
};

export const companyAuditVerifyRoute: Routes = (app, deps) => {
  app.get('/v1/company/audit/verify', { onRequest: owningCompany, schema }, async ({ identity }) =>
    verifyAudit(deps, companyScope(identity)),
  );
};
