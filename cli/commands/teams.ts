import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { readProfileSettings, writeProfileSettings } from '../client/profiles.ts';
import { findTeam, signedIn, signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS, TEAM_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { fields, table } from '../terminal/table.ts';
import { TEAM_COLUMNS } from './accounts.ts';
import { storageText } from './status.ts';

export const teamList: Command<typeof SERVICE_OPTIONS> = {
  section: 'team',
  summary: 'list the Teams that you have access to',
  about: 'Lists the Teams that you have access to, with your role and your access in each.',
  options: SERVICE_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedIn(values);
    const { teams } = await service.get('/v1/auth/session', SessionInfo);
    const lines = teams.length === 0 ? ['You do not have access to any Team.'] : table(TEAM_COLUMNS, teams);
    return { text: lines.join('\n'), data: { teams } };
  },
};

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

export const teamUse: Command<typeof SERVICE_OPTIONS> = {
  section: 'team',
  summary: 'choose the Team of commands without --team',
  about: `Chooses the default Team: the Team of commands that name none with --team. It is saved for the profile, and
used only with this service.`,
  options: SERVICE_OPTIONS,
  operand: { name: 'team', completes: 'team' },
  notes: `An agent token belongs to one Team, so it does not need a default and ignores it.

${CREDENTIAL_NOTE}`,
  async run(values, operand) {
    const { service, url, profile } = await signedIn(values);
    const { teams } = await service.get('/v1/auth/session', SessionInfo);
    const id = await findTeam(operand, async () => teams);
    const team = teams.find((each) => each.id === id);
    if (team === undefined) throw new CommandError(`you do not have access to the Team ${id}`);
    const settings = await readProfileSettings(profile);
    await writeProfileSettings(profile, { ...settings, team: { url, id, name: team.name } });
    return { text: `Commands without --team use the Team ${oneLine(team.name)}.`, data: { team } };
  },
};
