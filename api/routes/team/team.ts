import { readSelectedTeam } from '../../../core/identity/team/read-selected-team.ts';
import { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { selectedTeam } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

const schema = {
  operationId: 'getSelectedTeam',
  summary: 'The selected Team, and your access to it',
  tags: ['team'],
  response: { 200: SelectedTeam },
};

export const teamRoute: Routes = (app, deps) => {
  app.get('/v1/team', { config: { permission: 'any' }, schema }, async (request) =>
    readSelectedTeam(deps, request.teamScope, selectedTeam(request)),
  );
};
