import { AddedMember, Member } from '../../shared/schemas/people.ts';
import { readList } from '../client/requests.ts';
import { findClient, findPerson, signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
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

const addOptions = {
  role: {
    type: 'string',
    value: 'role',
    choices: ['member', 'admin', 'owner'],
    help: 'role in the Team; default: member. Only Owners can make an Owner',
  },
  read: {
    type: 'string',
    multiple: true,
    value: 'client',
    completes: 'client',
    help: 'name or id of a client that the person can read; can be repeated',
  },
  write: {
    type: 'string',
    multiple: true,
    value: 'client',
    completes: 'client',
    help: 'the same for a client that the person can also write to',
  },
  ...TEAM_OPTIONS,
} as const;

export const teamAdd: Command<typeof addOptions> = {
  section: 'team',
  summary: 'add a person of the Company to a Team',
  about: `Gives a person of the Company a role in a Team at once, without an invite. The person is named by a part of the name,
by the whole email, or by the id. Requires Full access.`,
  options: addOptions,
  operand: { name: 'person', isSentence: true },
  notes: CREDENTIAL_NOTE,
  async run({ role = 'member', read = [], write = [], ...values }, person) {
    const { service } = await signedInToTeam(values);
    const grants: { clientId: string; access: 'read' | 'write' }[] = [];
    for (const client of read) grants.push({ clientId: await findClient(service, client), access: 'read' });
    for (const client of write) grants.push({ clientId: await findClient(service, client), access: 'write' });
    const userId = await findPerson(service, person);
    const { member } = await service.post('/v1/team/invites', AddedMember, { userId, role, grants });
    const text = `${oneLine(member.name)} <${oneLine(member.email)}> is now ${member.role} of the Team.`;
    return { text, data: { member } };
  },
};
