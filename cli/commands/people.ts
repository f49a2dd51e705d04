import { isId } from '../../shared/ids.ts';
import { AddedMember, Invite, Member } from '../../shared/schemas/people.ts';
import { readList } from '../client/requests.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { findClient, findPerson, signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Column, table } from '../terminal/table.ts';
import { day } from '../terminal/times.ts';

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

const MAILS = { queued: 'waiting', sent: 'sent', failed: 'refused' } as const;

const INVITE_COLUMNS: readonly Column<Invite>[] = [
  { title: 'Invite', value: ({ id }) => id, role: 'id' },
  { title: 'Role', value: ({ role }) => role },
  { title: 'State', value: ({ state }) => state },
  { title: 'Mail', value: ({ mail }) => (mail === null ? '-' : MAILS[mail]) },
  { title: 'Until', value: ({ expiresAt }) => day(expiresAt) },
  { title: 'Email', value: ({ email }) => email, canShrink: true, role: 'name' },
];

const INVITES = '/v1/team/invites';

export const teamInvites: Command<typeof TEAM_OPTIONS> = {
  section: 'team',
  summary: 'list the invites to a Team',
  about: `Lists the invites to a Team, newest first, with what became of each and of its last mail. Requires Full access.`,
  options: TEAM_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedInToTeam(values);
    const invites = await readList(service, INVITES, Invite);
    const lines = invites.length === 0 ? ['Nobody has been invited yet.'] : table(INVITE_COLUMNS, invites);
    return { text: lines.join('\n'), data: { items: invites } };
  },
};

export const teamResend: Command<typeof TEAM_OPTIONS> = {
  section: 'team',
  summary: 'mail an invite again',
  about: `Mails another link of an open invite to a Team, by the email or the id of the invite. The links before stay valid. Requires
Full access, and a service that sends mail.`,
  options: TEAM_OPTIONS,
  operand: { name: 'email' },
  notes: CREDENTIAL_NOTE,
  async run(values, operand) {
    const { service } = await signedInToTeam(values);
    const id = isId(operand) ? operand : await findOpenInvite(service, operand);
    const invite = await service.post(`${INVITES}/${id}/resend`, Invite, {});
    return { text: `A mail to ${oneLine(invite.email)} is on its way.`, data: { invite } };
  },
};

/** The id of the open invite to an email, of which a Team has one at most. */
async function findOpenInvite(service: ServiceClient, email: string): Promise<string> {
  const invites = await readList(service, INVITES, Invite);
  const sought = email.trim().toLowerCase();
  const found = invites.find((invite) => invite.state === 'open' && invite.email === sought);
  if (found !== undefined) return found.id;
  throw new CommandError(`no open invite of the Team is to ${JSON.stringify(oneLine(email))}`);
}
