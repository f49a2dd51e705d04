import { Type } from 'typebox';
import {
  changeCompanyRole,
  changeTeamRole,
  eraseCompanyMember,
  removeCompanyMember,
  removeTeamMember,
} from '../../../core/people/members.ts';
import { findPeople, listCompanyMembers, listTeamMembers } from '../../../core/people/queries.ts';
import { invalidField } from '../../../shared/errors.ts';
import { parseId } from '../../../shared/ids.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import {
  ErasedMember,
  Member,
  PEOPLE_SEARCH,
  PeopleQuery,
  Person,
  RoleRequest,
} from '../../../shared/schemas/people.ts';
import { companyScope } from '../../../shared/scope.ts';
import { clearConsoleCookie } from '../../http/console-cookie.ts';
import { owningCompany, withRight } from '../../http/guards.ts';
import { errorCodes } from '../../http/openapi/declared-errors.ts';
import { answerPage, RowCount, UserParams } from '../../http/requests.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'listCompanyMembers',
  summary: 'Members of the Company, newest first',
  tags: ['company'],
  querystring: Type.Object(PageQuery),
  response: { 200: Page(Member) },
};

/** /v1/company/members */
export const companyMemberRoutes: Routes = (app, deps) => {
  app.get('/v1/company/members', { schema }, async ({ identity, query }) =>
    answerPage(query, (part) => listCompanyMembers(deps, companyScope(identity), part)),
  );

  app.patch(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'changeCompanyRole',
        summary: 'Change a role in the Company',
        description:
          'For Company Owners. A person who is no longer a Company Admin loses their Company grants, and their open ' +
          'access requests are denied. Open invites that they can no longer make are revoked. 409 `last_owner` ' +
          'for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        body: RoleRequest,
        response: { 200: Member },
        errors: errorCodes('last_owner'),
      },
    },
    async ({ identity, params, body: { role } }) =>
      changeCompanyRole(deps, companyScope(identity), { userId: parseId(params.userId), role }),
  );

  app.delete(
    '/v1/company/members/:userId',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'removeCompanyMember',
        summary: 'Remove a member from the Company',
        description:
          'For Company Owners. Closes the account: its sessions, roles, grants and invites end, and its email can ' +
          'be used for a new account. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        response: { 204: { type: 'null', description: 'Removed' } },
        errors: errorCodes('last_owner'),
      } as const,
    },
    async (request, reply) => {
      const { identity, params } = request;
      const userId = parseId(params.userId);
      await removeCompanyMember(deps, companyScope(identity), userId);
      if (userId === identity.userId) clearConsoleCookie(request, reply, deps.config);
      reply.code(204);
    },
  );

  app.post(
    '/v1/company/members/:userId/erase',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'eraseCompanyMember',
        summary: 'Erase a person',
        description:
          'For Company Owners, and final. Closes the account, also of someone who was removed before, and deletes its ' +
          'name, email, sessions, tokens and invites. What the person wrote stays, under a pseudonym. Erasing again ' +
          'changes nothing. 409 `last_owner` for the last Owner and the server principal.',
        tags: ['company'],
        params: UserParams,
        response: { 200: ErasedMember },
        errors: errorCodes('last_owner'),
      },
    },
    async (request, reply) => {
      const { identity, params } = request;
      const userId = parseId(params.userId);
      const erased = await eraseCompanyMember(deps, companyScope(identity), userId);
      if (userId === identity.userId) clearConsoleCookie(request, reply, deps.config);
      return erased;
    },
  );
};

/** The text that people are found by. White space around it counts for nothing. */
function parseSoughtName(q: string): string {
  const text = q.trim();
  const { minLetters } = PEOPLE_SEARCH;
  if (Array.from(text).length < minLetters)
    throw invalidField('/q', `must have at least ${minLetters} letters`);
  return text;
}

/** /v1/team/members, /v1/team/people */
export const teamMemberRoutes: Routes = (app, deps) => {
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

  app.get(
    '/v1/team/people',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'findPeople',
        summary: 'Find people of the Company who have no role in the Team',
        description:
          `By a part of the name, or by the whole email address. Returns at most ${PEOPLE_SEARCH.limit}, in the order of ` +
          'their names; `nextCursor` is always null. POST /v1/team/invites with a `userId` adds one of them.',
        tags: ['team'],
        querystring: PeopleQuery,
        response: { 200: Page(Person) },
      },
    },
    async ({ teamScope, query }) => {
      const count = new RowCount(query);
      const items = await findPeople(deps, teamScope, parseSoughtName(query.q));
      count.asked.count?.(items.length);
      return { items, nextCursor: null, ...count.fields };
    },
  );

  app.patch(
    '/v1/team/members/:userId',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'changeTeamRole',
        summary: 'Change a role in the Team',
        description:
          'A lower role also revokes the open invites that the member can no longer make, and those to the member. ' +
          '403 `forbidden` if the change concerns a Team Owner and you are an Owner neither of the Team nor of the ' +
          'Company; 409 `last_owner` for the last Team Owner.',
        tags: ['team'],
        params: UserParams,
        body: RoleRequest,
        response: { 200: Member },
        errors: errorCodes('forbidden', 'team_archived', 'last_owner'),
      },
    },
    async ({ teamScope, params, body }) =>
      changeTeamRole(deps, teamScope, { userId: parseId(params.userId), role: body.role }),
  );

  app.delete(
    '/v1/team/members/:userId',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'removeTeamMember',
        summary: 'Remove someone from the Team',
        description: 'Ends the role and the grants for clients. Errors as for a change of the role.',
        tags: ['team'],
        params: UserParams,
        response: { 204: { type: 'null', description: 'Removed' } },
        errors: errorCodes('forbidden', 'last_owner'),
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      await removeTeamMember(deps, teamScope, parseId(params.userId));
      reply.code(204);
    },
  );
};
