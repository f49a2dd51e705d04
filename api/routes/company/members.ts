import { Type } from 'typebox';
import { listCompanyMembers } from '../../../core/identity/company/lists.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Member } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'listCompanyMembers',
  summary: 'Members of the Company, newest first',
  tags: ['company'],
  querystring: Type.Object(PageQuery),
  response: { 200: Page(Member) },
};

export const companyMembersRoute: Routes = (app, deps) => {
  app.get('/v1/company/members', { schema }, async ({ identity, query }) =>
    answerPage(query, (part) => listCompanyMembers(deps, companyScope(identity), part)),
  );
};
