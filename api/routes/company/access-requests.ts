import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { listAccessRequests } from '../../../core/identity/company/lists.ts';
import { requestAccess } from '../../../core/identity/company/request-access.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { AccessRequest, NewAccessRequest } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/access-requests: Company Admins request access to Teams. */
export const accessRequestsRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/access-requests',
    {
      schema: {
        operationId: 'listAccessRequests',
        summary: 'Access requests, newest first; a Company Admin sees only their own',
        tags: ['company'],
        querystring: Type.Object(PageQuery),
        response: { 200: Page(AccessRequest) },
      },
    },
    async ({ identity, query }) =>
      answerPage(query, (part) =>
        listAccessRequests(deps, companyScope(identity), part, identity.companyRole),
      ),
  );

  app.post(
    '/v1/company/access-requests',
    {
      schema: {
        operationId: 'requestAccess',
        summary: 'Request access to a Team',
        description:
          '409 `conflict` if you already have this access (Company Owners have it in every Team), or already have ' +
          'an open request for the Team.',
        tags: ['company'],
        body: NewAccessRequest,
        response: { 201: AccessRequest },
        errors: errorCodes('not_found', 'conflict', 'team_archived', 'secret_detected'),
      },
    },
    async ({ identity, body }, reply) => {
      const { access, reason = null } = body;
      const requested = { teamId: parseId(body.teamId), access, reason };
      const made = await requestAccess(deps, companyScope(identity), requested);
      reply.code(201);
      return made;
    },
  );
};
