import { renameCompany } from '../../core/companies/commands.ts';
import { NameRequest } from '../../shared/schemas/common.ts';
import { Company } from '../../shared/schemas/companies.ts';
import { owningCompany } from '../http/guards.ts';
import type { Routes } from '../types.ts';

/** /v1/company: the Company of the caller. */
export const companyRoutes: Routes = (app, deps) => {
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
