import { SessionInfo } from '../../../shared/schemas/identity.ts';
import { findTeam } from '../../client/find-team.ts';
import { readProfileSettings, writeProfileSettings } from '../../client/profiles.ts';
import { signedIn } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';

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
