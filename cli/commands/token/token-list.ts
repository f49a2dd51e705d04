import { Member, Token } from '../../../shared/schemas/identity.ts';
import { readList } from '../../client/read-list.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { type Column, table } from '../../terminal/table.ts';
import { day } from '../../terminal/times.ts';
import { tokensPath } from './find-token.ts';

export const TEAM_WIDE = {
  type: 'boolean',
  help: 'the tokens of everyone in the Team; requires Full access',
} as const;

const options = {
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

export const tokenList: Command<typeof options> = {
  section: 'account',
  summary: 'list agent tokens',
  about: 'Lists your agent tokens that are active, of all Teams, newest first.',
  options,
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
