import { parseId } from '../../../core/access/parse-id.ts';
import { revokeTeamInvite } from '../../../core/identity/team/revoke-team-invite.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withRight } from '../../plugins/guards.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/team/invites/:id: revokes an invite into the Team. */
export const inviteRoutes: Routes = (app, deps) => {
  app.delete(
    '/v1/team/invites/:id',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'revokeInvite',
        summary: 'Revoke an invite',
        description: '409 `conflict` if it is not open.',
        tags: ['team'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Revoked' } },
        errors: errorCodes('forbidden', 'conflict'),
      } as const,
    },
    async ({ teamScope, params }, reply) => {
      await revokeTeamInvite(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );
};
