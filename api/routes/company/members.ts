import { Type } from 'typebox';
import { transaction } from '../../../db/driver/database.ts';
import { listCompanyMembers } from '../../../db/queries/identity/members.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Member } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'Members of the Company, newest first',
  tags: ['company'],
  querystring: Type.Object(PageQuery),
  response: { 200: Page(Member) },
};

export const companyMembersRoute: Routes = (app, { database }) => {
  app.get('/v1/company/members', { schema }, async ({ identity, query }) =>
    answerPage(query, (part) =>
      transaction(database, companyScope(identity), (tx) => listCompanyMembers(tx, part)),
    ),
  );
};
