import { SessionInfo } from '../../../shared/schemas/identity.ts';
import { signedIn } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../../program/command.ts';
import { table } from '../../terminal/table.ts';
import { TEAM_COLUMNS } from '../account/whoami.ts';

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
