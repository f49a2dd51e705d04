import { changeTeam } from '../../../core/identity/team/change-team.ts';
import { readSelectedTeam } from '../../../core/identity/team/read-selected-team.ts';
import { invalidField } from '../../../shared/errors.ts';
import { SelectedTeam, TeamChange } from '../../../shared/schemas/identity.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { selectedTeam, withRight } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

/** /v1/team: the selected Team. */
export const selectedTeamRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/team',
    {
      config: { permission: 'any' },
      schema: {
        operationId: 'getSelectedTeam',
        summary: 'The selected Team, its settings, and your access to it',
        tags: ['team'],
        response: { 200: SelectedTeam },
      },
    },
    async (request) => readSelectedTeam(deps, request.teamScope, selectedTeam(request)),
  );

  app.patch(
    '/v1/team',
    {
      onRequest: withRight('manageTeam'),
      schema: {
        operationId: 'changeSelectedTeam',
        summary: 'Change the name or the settings of the selected Team',
        tags: ['team'],
        body: TeamChange,
        response: { 200: SelectedTeam },
        errors: errorCodes('team_archived', 'conflict'),
      },
    },
    async ({ teamScope, body }) => {
      if (Object.keys(body).length === 0) throw invalidField('/', 'must have name, publish or redaction');
      return changeTeam(deps, teamScope, body);
    },
  );
};
