import { transaction } from '../../../db/driver/database.ts';
import { countTeamMembers } from '../../../db/queries/identity/members.ts';
import { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { selectedTeam } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

const schema = {
  summary: 'The selected Team, and your access to it',
  tags: ['team'],
  response: { 200: SelectedTeam },
};

export const teamRoute: Routes = (app, { database }) => {
  app.get('/v1/team', { schema }, async (request) => {
    const { teamScope } = request;
    const { id, name, state, role } = selectedTeam(request);
    const { members } = await transaction(database, teamScope, countTeamMembers);
    return {
      id,
      name,
      state,
      role,
      access: teamScope.access,
      clients: teamScope.reads.clients.length,
      members,
    };
  });
};
