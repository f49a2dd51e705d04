import { isId } from '../../shared/ids.ts';
import { PERMISSION_NAMES, PERMISSIONS } from '../../shared/permissions.ts';
import { Member } from '../../shared/schemas/people.ts';
import { SelectedTeam } from '../../shared/schemas/teams.ts';
import { DEFAULT_TOKEN_DAYS, IssuedToken, Token } from '../../shared/schemas/tokens.ts';
import { readList } from '../client/requests.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { findClient, signedIn, signedInToTeam } from '../client/signed-in.ts';
import {
  type Command,
  CREDENTIAL_NOTE,
  parseWhole,
  SERVICE_OPTIONS,
  TEAM_OPTIONS,
} from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Column, table } from '../terminal/table.ts';
import { day } from '../terminal/times.ts';

/** A new secret, on a line of its own so that it can be copied, and what it is. */
function issuedText({ token, record }: IssuedToken): string {
  return [
    token,
    `The token of ${oneLine(record.name)}, until ${day(record.expiresAt)}. It is not shown again.`,
  ].join('\n');
}

const MAX_DAYS = 366;

const tokenCreateOptions = {
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

export const tokenCreate: Command<typeof tokenCreateOptions> = {
  section: 'account',
  summary: 'create an agent token, for a program that acts for you',
  about: `Creates an agent token: the credential of a program that acts for you in one Team, with fewer rights. The
token is shown only once. A program uses it as MEMORY_API_TOKEN.`,
  options: tokenCreateOptions,
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

/** Where agent tokens are listed: the caller's own, or those of the Team. */
export const tokensPath = (isTeamWide: boolean) => (isTeamWide ? '/v1/team/tokens' : '/v1/auth/tokens');

/**
 * The id of the token with this name or id. By its name, only an active token is found, because the names of ended ones
 * can be used again.
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
async function findToken(service: ServiceClient, path: string, given: string): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  const tokens = (await readList(service, path, Token)).filter(({ state }) => state === 'active');
  const sameName = tokens.filter(({ name }) => name === given);
  const [found] = sameName;
  if (found !== undefined && sameName.length === 1) return found.id;
  const list = (some: readonly Token[]) =>
    some.map(({ name, id }) => `${oneLine(name)} (${id})`).join(', ') || 'none';
  const name = JSON.stringify(oneLine(given));
  throw new CommandError(
    found === undefined
      ? `there is no active token named ${name}; there are: ${list(tokens)}`
      : `several active tokens are named ${name}: choose one by its id: ${list(sameName)}`,
  );
}

const TEAM_WIDE = {
  type: 'boolean',
  help: 'the tokens of everyone in the Team; requires Full access',
} as const;

const tokenListOptions = {
  'team-wide': TEAM_WIDE,
  all: { type: 'boolean', help: 'also tokens that are expired or revoked' },
  ...TEAM_OPTIONS,
} as const;

const COLUMNS: readonly Column<Token>[] = [
  { title: 'Token', value: ({ id }) => id, role: 'id' },
  { title: 'State', value: ({ state }) => state },
  { title: 'Expires', value: ({ expiresAt }) => day(expiresAt) },
  { title: 'Last used', value: ({ lastUsedAt }) => (lastUsedAt === null ? null : day(lastUsedAt)) },
  { title: 'Permissions', value: ({ permissions }) => permissions.join(', '), canShrink: true },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
];

export const tokenList: Command<typeof tokenListOptions> = {
  section: 'account',
  summary: 'list agent tokens',
  about: 'Lists your agent tokens that are active, of all Teams, newest first.',
  options: tokenListOptions,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const isTeamWide = values['team-wide'] === true;
    const { service } = await signedInToTeam(values);
    const tokens = await readList(service, tokensPath(isTeamWide), Token);
    const items = values.all === true ? tokens : tokens.filter(({ state }) => state === 'active');
    if (items.length === 0) return { text: 'No agent tokens.', data: { items } };
    const members = isTeamWide ? await readList(service, '/v1/team/members', Member) : [];
    const names = new Map(members.map(({ userId, name }) => [userId, name]));
    const ownerColumn: Column<Token> = {
      title: 'Owner',
      value: ({ userId }) => names.get(userId) ?? userId,
      canShrink: true,
    };
    const lines = table(isTeamWide ? [...COLUMNS, ownerColumn] : COLUMNS, items);
    return { text: lines.join('\n'), data: { items } };
  },
};

const MAX_HOURS = 72;

const tokenRotateOptions = {
  'overlap-hours': {
    type: 'string',
    value: 'n',
    help: `how long the old secret can still be used: 0 to ${MAX_HOURS} hours, default 0`,
  },
  ...SERVICE_OPTIONS,
} as const;

export const tokenRotate: Command<typeof tokenRotateOptions> = {
  section: 'account',
  summary: 'give an agent token a new secret',
  about: `Gives one of your agent tokens, by name or id, a new secret, which is shown only once. The token keeps its
permissions and its expiry.`,
  options: tokenRotateOptions,
  operand: { name: 'token', completes: 'token' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const overlapHours = parseWhole('overlap-hours', values['overlap-hours'], 0, MAX_HOURS);
    const { service } = await signedIn(values);
    const path = tokensPath(false);
    const id = await findToken(service, path, operand);
    const issued = await service.post(`${path}/${id}/rotate`, IssuedToken, { overlapHours });
    return { text: issuedText(issued), data: issued };
  },
};

const tokenRevokeOptions = { 'team-wide': TEAM_WIDE, ...TEAM_OPTIONS } as const;

export const tokenRevoke: Command<typeof tokenRevokeOptions> = {
  section: 'account',
  summary: 'revoke an agent token',
  about: `Revokes an agent token, by name or id: one of your own, or with --team-wide one of anyone in the Team. All of
its secrets end at once.`,
  options: tokenRevokeOptions,
  operand: { name: 'token', completes: 'token' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { service } = await signedInToTeam(values);
    const path = tokensPath(values['team-wide'] === true);
    const id = await findToken(service, path, operand);
    await service.delete(`${path}/${id}`);
    return { text: `Revoked the token ${id}.`, data: { id } };
  },
};
