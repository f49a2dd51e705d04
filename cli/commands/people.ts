import { Member } from '../../shared/schemas/people.ts';
import { readList } from '../client/requests.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { type Column, table } from '../terminal/table.ts';

const COLUMNS: readonly Column<Member>[] = [
  { title: 'Member', value: ({ userId }) => userId, role: 'id' },
  { title: 'Role', value: ({ role }) => role },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
  { title: 'Email', value: ({ email }) => email, canShrink: true, role: 'name' },
];

export const teamMembers: Command<typeof TEAM_OPTIONS> = {
  section: 'team',
  summary: 'list the members of a Team',
  about: 'Lists the members of a Team with their roles, newest first.',
  options: TEAM_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedInToTeam(values);
    const members = await readList(service, '/v1/team/members', Member);
    const lines = members.length === 0 ? ['The Team has no members.'] : table(COLUMNS, members);
    return { text: lines.join('\n'), data: { items: members } };
  },
};
