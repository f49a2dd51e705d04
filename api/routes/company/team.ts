import { parseId } from '../../../core/access/parse-id.ts';
import { renameTeam } from '../../../core/identity/company/rename-team.ts';
import { transaction } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listTeams } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { NameRequest, Team } from '../../../shared/schemas/identity.ts';
import { companyScope } from '../../../shared/scope.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** /v1/company/teams/:id: one Team of the Company. */
export const companyTeamRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/company/teams/:id',
    { schema: { summary: 'One Team', tags: ['company'], params: IdParams, response: { 200: Team } } },
    async ({ identity, params }) => {
      const id = parseId(params.id);
      const [team] = await transaction(deps.database, companyScope(identity), (tx) =>
        listTeams(tx, ONE_ROW, id),
      );
      if (team === undefined) throw new ServiceError('not_found');
      return team;
    },
  );

  app.patch(
    '/v1/company/teams/:id',
    {
      schema: {
        summary: 'Rename a Team',
        tags: ['company'],
        params: IdParams,
        body: NameRequest,
        response: { 200: Team },
      },
    },
    async ({ identity, params, body: { name } }) =>
      renameTeam(deps, companyScope(identity), { teamId: parseId(params.id), name }),
  );
};
