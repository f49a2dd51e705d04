import { PERMISSION_NAMES, PERMISSIONS } from '../../../shared/permissions.ts';
import { DEFAULT_TOKEN_DAYS, IssuedToken, SelectedTeam } from '../../../shared/schemas/identity.ts';
import { findClient } from '../../client/find-team.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { parseWhole } from '../../program/whole-number.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { issuedText } from './issued-text.ts';

const MAX_DAYS = 366;

const options = {
  permission: {
    type: 'string',
    multiple: true,
    value: 'permission',
    choices: PERMISSION_NAMES,
    help: `what the token permits: ${PERMISSION_NAMES.join(', ')}; can be repeated, and at least one is required`,
  },
  client: {
    type: 'string',
    multiple: true,
    value: 'client',
    completes: 'client',
    help: 'limit the token to the Team layer and this client, by name or id; can be repeated',
  },
  'team-layer-only': { type: 'boolean', help: 'limit the token to the Team layer' },
  days: {
    type: 'string',
    value: 'n',
    help: `days until the token expires: 1 to ${MAX_DAYS}, default ${DEFAULT_TOKEN_DAYS}`,
  },
  ...TEAM_OPTIONS,
} as const;

const meanings = Object.entries(PERMISSIONS)
  .map(([name, meaning]) => `${name}: ${meaning}`)
  .join('\n\n');

export const tokenCreate: Command<typeof options> = {
  section: 'account',
  summary: 'create an agent token, for a program that acts for you',
  about: `Creates an agent token: the credential of a program that acts for you in one Team, with fewer rights. The
token is shown only once. A program uses it as MEMORY_API_TOKEN.`,
  options,
  operand: { name: 'name' },
  notes: `${meanings}

${CREDENTIAL_NOTE} An agent token cannot create tokens.`,
  async run(values, name) {
    const permissions = values.permission ?? [];
    if (permissions.length === 0)
      throw new CommandError(`--permission: required; one or more of ${PERMISSION_NAMES.join(', ')}`);
    const expiresInDays = parseWhole('days', values.days, 1, MAX_DAYS);
    const { service } = await signedInToTeam(values);
    const { id: teamId } = await service.get('/v1/team', SelectedTeam);
    const clients = values.client ?? [];
    const isLimited = clients.length > 0 || values['team-layer-only'] === true;
    const issued = await service.post('/v1/auth/tokens', IssuedToken, {
      name,
      teamId,
      permissions,
      expiresInDays,
      ...(isLimited
        ? { clientIds: await Promise.all(clients.map((client) => findClient(service, client))) }
        : {}),
    });
    return { text: issuedText(issued), data: issued };
  },
};
