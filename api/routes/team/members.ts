import { Type } from 'typebox';
import { listTeamMembers } from '../../../core/identity/team/lists.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { Member } from '../../../shared/schemas/identity.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** /v1/team/members: lists the people with a role in the Team. */
export const teamMembersRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team/members',
    {
      config: { permission: 'any' },
      schema: {
        operationId: 'listTeamMembers',
        summary: 'Members of the Team, newest first',
        tags: ['team'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(Member) },
      },
    },
    async ({ teamScope, query }) => answerPage(query, (part) => listTeamMembers(deps, teamScope, part)),
  );
};
