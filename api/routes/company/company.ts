import { Company } from '../../../shared/schemas/identity.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'getCompany',
  summary: 'Your Company, and your role in it',
  tags: ['company'],
  response: { 200: Company },
};

export const companyRoute: Routes = (app) => {
  app.get('/v1/company', { schema }, async ({ identity }) => ({
    id: identity.companyId,
    name: identity.companyName,
    role: identity.companyRole,
  }));
};
