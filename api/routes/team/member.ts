import { parseId } from '../../../core/access/parse-id.ts';
import { changeMemberRole } from '../../../core/identity/team/change-member-role.ts';
import { removeMember } from '../../../core/identity/team/remove-member.ts';
import { Member, RoleRequest } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withRight } from '../../plugins/guards.ts';
import { UserParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/team/members/:userId: changes and ends a role in the Team. */
export const memberRoutes: Routes = (app, deps) => {
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
      changeMemberRole(deps, teamScope, { userId: parseId(params.userId), role: body.role }),
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
      await removeMember(deps, teamScope, parseId(params.userId));
      reply.code(204);
    },
  );
};
