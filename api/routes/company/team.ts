import { parseId } from '../../../core/access/parse-id.ts';
import { readTeam } from '../../../core/identity/teams/read-team.ts';
import { renameTeam } from '../../../core/identity/teams/rename-team.ts';
import { NameRequest, Team } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/teams/:id: one Team of the Company. */
export const companyTeamRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/teams/:id',
    {
      schema: {
        operationId: 'getTeam',
        summary: 'One Team',
        tags: ['company'],
        params: IdParams,
        response: { 200: Team },
      },
    },
    async ({ identity, params }) => readTeam(deps, companyScope(identity), parseId(params.id)),
  );

  app.patch(
    '/v1/company/teams/:id',
    {
      schema: {
        operationId: 'renameTeam',
        summary: 'Rename a Team',
        tags: ['company'],
        params: IdParams,
        body: NameRequest,
        response: { 200: Team },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ identity, params, body: { name } }) =>
      renameTeam(deps, companyScope(identity), { teamId: parseId(params.id), name }),
  );
};
