import { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { fields } from '../../terminal/table.ts';
import { storageText } from './storage.ts';

export const teamShow: Command<typeof TEAM_OPTIONS> = {
  section: 'team',
  summary: 'show a Team, and your access to it',
  about: `Shows a Team: its state, your role and access, and how many clients and members it has. With Full access, also what it
stores and its quota.`,
  options: TEAM_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedInToTeam(values);
    const team = await service.get('/v1/team', SelectedTeam);
    const lines = fields([
      ['Team', team.name],
      ['Id', team.id],
      ['State', team.state],
      ['Your role', team.role],
      ['Your access', team.access],
      ['Clients that you can reach', team.clients],
      ['Members', team.members],
      ['Stored', storageText(team)],
    ]);
    return { text: lines.join('\n'), data: team };
  },
};
