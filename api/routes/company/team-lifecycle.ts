import { parseId } from '../../../core/access/parse-id.ts';
import { changeTeamState } from '../../../core/identity/teams/change-team-state.ts';
import { deleteTeam } from '../../../core/identity/teams/delete-team.ts';
import { Team } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { owningCompany } from '../../plugins/guards.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

const TRANSITIONS = [
  {
    verb: 'archive',
    operationId: 'archiveTeam',
    state: 'archived',
    summary: 'Archive a Team, which can then be read but not changed',
  },
  { verb: 'restore', operationId: 'restoreTeam', state: 'active', summary: 'Restore an archived Team' },
] as const;

/** The states of a Team: active ⇄ archived. Only an archived Team can be deleted. */
export const teamLifecycleRoutes: Routes = (app, deps) => {
  for (const { verb, operationId, state, summary } of TRANSITIONS) {
    app.post(
      `/v1/company/teams/:id/${verb}`,
      {
        schema: {
          operationId,
          summary,
          description: `409 \`conflict\` if it is already ${state}.`,
          tags: ['company'],
          params: IdParams,
          response: { 200: Team },
          errors: errorCodes('conflict'),
        },
      },
      async ({ identity, params }) =>
        changeTeamState(deps, companyScope(identity), { teamId: parseId(params.id), state }),
    );
  }

  app.delete(
    '/v1/company/teams/:id',
    {
      onRequest: owningCompany,
      schema: {
        operationId: 'deleteTeam',
        summary: 'Delete an archived Team and everything in it except its audit events',
        description: 'For Company Owners. 409 `conflict` if it is not archived.',
        tags: ['company'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('conflict'),
      } as const,
    },
    async ({ identity, params }, reply) => {
      await deleteTeam(deps, companyScope(identity), parseId(params.id));
      reply.code(204);
    },
  );
};
