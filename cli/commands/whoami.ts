import { SessionInfo } from '../../shared/schemas/identity.ts';
import { signedIn } from '../client/signed-in.ts';
import { oneLine } from '../terminal/columns.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP } from './command.ts';

const help = `Shows who is signed in: name, email, role in the Company, and the Teams with their ids and your access to them.

Usage: npm run cli -- whoami [options]

${URL_HELP}

${CREDENTIAL_HELP}`;

/** A line of the list of Teams. The name, which may be long, comes last. */
function teamLine(id: string, role: string, access: string, state: string, name: string): string {
  return [id.padEnd(36), role.padEnd(6), access.padEnd(6), state.padEnd(8), oneLine(name)].join('  ');
}

function teamLines(teams: SessionInfo['teams']): string[] {
  if (teams.length === 0) return ['You do not have access to any Team.'];
  return [
    teamLine('Team', 'Role', 'Access', 'State', 'Name'),
    ...teams.map(({ id, role, access, state, name }) => teamLine(id, role ?? '-', access, state, name)),
  ];
}

export const whoami: Command = {
  summary: 'show who is signed in, and the Teams with their ids',
  help,
  options: {},
  async run(values) {
    const { service, url, source } = await signedIn(values.url);
    const { user, company, teams, expiresAt } = await service.get('/v1/auth/session', SessionInfo);
    const credential = source === 'session' ? 'the saved session' : source;
    return [
      `${oneLine(user.name)} <${oneLine(user.email)}>, ${company.role} of the Company ${oneLine(company.name)}`,
      `using ${credential} for ${url}${expiresAt === null ? '' : `, until ${expiresAt}`}`,
      '',
      ...teamLines(teams),
    ].join('\n');
  },
};
