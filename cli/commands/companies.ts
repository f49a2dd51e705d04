import { ResetLink } from '../../shared/schemas/accounts.ts';
import { HostedCompany, NewCompany } from '../../shared/schemas/companies.ts';
import { readList } from '../client/requests.ts';
import type { ServiceClient } from '../client/service-client.ts';
import { findCompany, signedIn } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Column, table } from '../terminal/table.ts';
import { day } from '../terminal/times.ts';

/*
 * The Companies of a service, for its operator: the service refuses every credential except its own token.
 */

const NOTES = `The service permits this with its own token only.

${CREDENTIAL_NOTE}`;

const OPERAND = { name: 'company' } as const;

const COLUMNS: readonly Column<HostedCompany>[] = [
  { title: 'Company', value: ({ id }) => id, role: 'id' },
  { title: 'Members', value: ({ members }) => members },
  { title: 'Teams', value: ({ teams }) => teams },
  { title: 'Since', value: ({ createdAt }) => day(createdAt) },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
];

const listAll = (service: ServiceClient) => readList(service, '/v1/companies', HostedCompany);

/** The Company that the operand names. */
const named = async (service: ServiceClient, operand: string): Promise<HostedCompany> =>
  findCompany('<company>', operand, await listAll(service));

const createOptions = {
  name: { type: 'string', value: 'name', help: 'name of the Company; required' },
  'owner-email': {
    type: 'string',
    value: 'email',
    help: 'email of the person who is to be its Owner; required',
  },
  'team-name': { type: 'string', value: 'name', help: 'name of its first Team; default: General' },
  ...SERVICE_OPTIONS,
} as const;

export const companyCreate: Command<typeof createOptions> = {
  section: 'operator',
  summary: 'make another Company, and print the link for its Owner',
  about: 'Makes another Company with a Team, and prints the link with which somebody becomes its Owner.',
  options: createOptions,
  notes: NOTES,
  async run({ name, 'owner-email': ownerEmail, 'team-name': teamName, ...connection }) {
    if (name === undefined) throw new CommandError('--name: required (see --help)');
    if (ownerEmail === undefined) throw new CommandError('--owner-email: required (see --help)');
    const { service } = await signedIn(connection);
    const made = await service.post('/v1/companies', NewCompany, {
      name,
      ownerEmail,
      ...(teamName === undefined ? {} : { teamName }),
    });
    const { company, team, url, expiresAt } = made;
    const lines = [
      `Made the Company ${oneLine(company.name)} (${company.id}) with the Team ${oneLine(team.name)}.`,
      `The link makes its Owner. It is valid once, until ${expiresAt}:`,
      url,
    ];
    return { text: lines.join('\n'), data: made };
  },
};

export const companyList: Command<typeof SERVICE_OPTIONS> = {
  section: 'operator',
  summary: 'list the Companies of the service',
  about: 'Lists the Companies of the service, newest first, with the number of their members and Teams.',
  options: SERVICE_OPTIONS,
  notes: NOTES,
  async run(values) {
    const { service } = await signedIn(values);
    const items = await listAll(service);
    return { text: table(COLUMNS, items).join('\n'), data: { items } };
  },
};

const ownerLinkOptions = {
  email: {
    type: 'string',
    value: 'email',
    help: 'email of the Owner; default: the only Owner, or the email that the link before was for',
  },
  ...SERVICE_OPTIONS,
} as const;

export const companyOwnerLink: Command<typeof ownerLinkOptions> = {
  section: 'operator',
  summary: 'make a new link for the Owner of a Company',
  about: `Makes a new link for the Owner of a Company, by its name or id. While the Company has no Owner, the link makes one, in
place of the link before. Then it sets a new password.`,
  options: ownerLinkOptions,
  operand: OPERAND,
  notes: NOTES,
  async run({ email, ...connection }, operand) {
    const { service } = await signedIn(connection);
    const { id } = await named(service, operand);
    const body = email === undefined ? {} : { email };
    const link = await service.post(`/v1/companies/${id}/owner-link`, ResetLink, body);
    return { text: `${link.url}\nvalid once, until ${link.expiresAt}`, data: link };
  },
};

const deleteOptions = {
  name: { type: 'string', value: 'name', help: 'name of the Company, to confirm; required' },
  ...SERVICE_OPTIONS,
} as const;

export const companyDelete: Command<typeof deleteOptions> = {
  section: 'operator',
  summary: 'end a Company that is not used',
  about: `Ends a Company, by its name or id: closes its accounts, revokes its links and deletes its Teams. The service refuses this
while a Team has records or other members than its Owner.`,
  options: deleteOptions,
  operand: OPERAND,
  notes: `Nobody can undo it. The audit events of the Company stay in the database.

${NOTES}`,
  async run({ name, ...connection }, operand) {
    if (name === undefined) throw new CommandError('--name: required, to confirm which Company ends');
    const { service } = await signedIn(connection);
    const company = await named(service, operand);
    await service.delete(`/v1/companies/${company.id}`, { name });
    return { text: `Ended the Company ${oneLine(company.name)} (${company.id}).`, data: { company } };
  },
};
