import { Client } from '../../shared/schemas/clients.ts';
import { readList } from '../client/requests.ts';
import { signedInToTeam } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../program/command.ts';
import { type Column, table } from '../terminal/table.ts';

const options = {
  archived: { type: 'boolean', help: 'list the archived clients; requires Full access' },
  ...TEAM_OPTIONS,
} as const;

const COLUMNS: readonly Column<Client>[] = [
  { title: 'Client', value: ({ id }) => id, role: 'id' },
  { title: 'Access', value: ({ access }) => access },
  { title: 'State', value: ({ state }) => state },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
];

export const teamClients: Command<typeof options> = {
  section: 'team',
  summary: 'list the clients of a Team that you can reach',
  about: 'Lists the clients of a Team that you can reach, with your access to each, newest first.',
  options,
  notes: CREDENTIAL_NOTE,
  async run({ archived, ...values }) {
    const { service } = await signedInToTeam(values);
    const state = archived === true ? 'archived' : undefined;
    const clients = await readList(service, '/v1/team/clients', Client, { state });
    const none = archived === true ? 'The Team has no archived clients.' : 'You can reach no client.';
    const lines = clients.length === 0 ? [none] : table(COLUMNS, clients);
    return { text: lines.join('\n'), data: { items: clients } };
  },
};
