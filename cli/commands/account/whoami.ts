import { SessionInfo } from '../../../shared/schemas/identity.ts';
import { signedIn } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { type Column, table } from '../../terminal/table.ts';

type Team = SessionInfo['teams'][number];

/** The columns of a list of Teams. */
export const TEAM_COLUMNS: readonly Column<Team>[] = [
  { title: 'Team', value: ({ id }) => id, role: 'id' },
  { title: 'Role', value: ({ role }) => role },
  { title: 'Access', value: ({ access }) => access },
  { title: 'State', value: ({ state }) => state },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
];

export const whoami: Command<typeof SERVICE_OPTIONS> = {
  section: 'account',
  summary: 'show who is signed in, and the Teams with their ids',
  about: `Shows who is signed in: name, email, role in the Company, and the Teams with their ids and your access to
them. For an agent token, also its name and its permissions.`,
  options: SERVICE_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service, url, source, profile } = await signedIn(values);
    const session = await service.get('/v1/auth/session', SessionInfo);
    const { user, company, teams, expiresAt, agentToken, permissions } = session;
    const credential = source === 'session' ? 'the saved session' : source;
    const token =
      agentToken === undefined
        ? []
        : [`as the agent token ${oneLine(agentToken.name)}, which permits ${permissions?.join(', ') ?? ''}`];
    const lines = [
      `${oneLine(user.name)} <${oneLine(user.email)}>, ${company.role} of the Company "${oneLine(company.name)}"`,
      `using ${credential} for ${url}${expiresAt === null ? '' : `, until ${expiresAt}`}`,
      ...token,
      '',
      ...(teams.length === 0 ? ['You do not have access to any Team.'] : table(TEAM_COLUMNS, teams)),
    ];
    return { text: lines.join('\n'), data: { ...session, url, credential: source, profile } };
  },
};
