import { renameCompany } from '../../../core/identity/company/rename-company.ts';
import { Company, NameRequest } from '../../../shared/schemas/identity.ts';
import { owningCompany } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

/** /v1/company: the Company of the caller. */
export const ownCompanyRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company',
    {
      schema: {
        operationId: 'getCompany',
        summary: 'Your Company, and your role in it',
        tags: ['company'],
        response: { 200: Company },
      },
    },
    async ({ identity }) => ({
      id: identity.companyId,
      name: identity.companyName,
      role: identity.companyRole,
    }),
  );

  app.patch(
    '/v1/company',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'renameCompany',
        summary: 'Rename your Company',
        tags: ['company'],
        body: NameRequest,
        response: { 200: Company },
      },
    },
    async ({ identity, body }) => renameCompany(deps, identity, body.name),
  );
};
