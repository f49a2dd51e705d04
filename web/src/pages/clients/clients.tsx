import { Link } from '@tanstack/react-router';
import { Archive, ArchiveRestore, Briefcase, Pencil, Plus, Users } from 'lucide-react';
import { useState } from 'react';
import type { Client } from '../../../../shared/schemas/clients.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { atField } from '../../app/form.ts';
import { Refusal } from '../../app/request.ts';
import { useTeam } from '../../app/session.tsx';
import { primaryButton } from '../../ui/button.tsx';
import { menuColumn, nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { TextLink } from '../../ui/here-link.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, LoadedList } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { say, sayFailure, tell } from '../../ui/toast.tsx';
import { AccessRows, accessSaid, useGrants } from '../people/access.tsx';
import { byName, matches, usePeopleRights } from '../people/rights.ts';

const TABS = [
  { value: undefined, name: 'Active' },
  { value: 'archived', name: 'Archived' },
];

const sourcesOf = ({ id }: Client) => ({ to: '/sources', search: { clientId: id } }) as const;

/** The page at /clients. */
export default function Clients() {
  const [filters, setFilters, field] = useFilters('/clients');
  const { manages, changes } = usePeopleRights();
  const { state } = useTeam();
  const isArchive = manages && filters.state === 'archived';
  const read = useAll('listClients', isArchive ? { state: 'archived' } : {});
  const [named, setNamed] = useState<Named | null>(null);
  const { archive, restore } = useArchive(setNamed);
  const shown = read.items.filter(({ name }) => matches(filters.q, [name]));
  const open = manages && !isArchive && read.items.find(({ id }) => id === filters.client);
  const newButton = changes && primaryButton(Plus, 'New client', () => setNamed({ what: 'new' }));
  const columns: readonly (Column<Client> | false)[] = [
    nameColumn('Name', ({ name }) => name, isArchive ? {} : { link: sourcesOf }),
    !isArchive &&
      textColumn('Your access', '7.5rem', ({ access }) =>
        access === 'write' && state === 'active' ? 'Read and write' : 'Read',
      ),
    timeColumn('Made', ({ createdAt }) => createdAt),
    manages &&
      menuColumn(
        ({ name }) => name,
        (client) => [
          !isArchive && [Users, 'Who can open it', () => void setFilters({ client: client.id })],
          changes && !isArchive && [Pencil, 'Rename', () => setNamed({ what: 'rename', client })],
          changes && !isArchive && [Archive, 'Archive', () => void archive(client)],
          changes && isArchive && [ArchiveRestore, 'Restore', () => void restore(client)],
        ],
      ),
  ];
  return (
    <Page total={read.total} actions={newButton}>
      {manages && (
        <Tabs label="Clients" parameter="state" value={isArchive ? 'archived' : undefined} tabs={TABS} />
      )}
      <FilterBar>
        <TextFilter label="Name" {...field('q')} />
      </FilterBar>
      <RecordList
        label="Clients"
        read={{ ...read, items: shown }}
        columns={columns}
        empty={
          filters.q !== undefined ? (
            <Empty icon={Briefcase} title="No client has this in its name" />
          ) : isArchive ? (
            <Empty icon={Briefcase} title="No client is archived" />
          ) : manages ? (
            <Empty icon={Briefcase} title="The Team has no clients yet">
              A client is a customer or a project: only those to whom it is open find what belongs to it.
              {newButton}
            </Empty>
          ) : (
            <Empty icon={Briefcase} title="No client is open to you">
              <TextLink to="/people">Ask one of the Owners or Admins of the Team</TextLink>
            </Empty>
          )
        }
      />
      {isArchive && shown.length > 0 && (
        <p className="mt-4 text-sm text-faint">
          Nobody finds what belongs to an archived client until it is restored. Who can open it is kept.
        </p>
      )}
      {named !== null && <ClientDialog named={named} onClose={() => setNamed(null)} />}
      {open && (
        <ClientPeople key={open.id} client={open} onClose={() => void setFilters({ client: undefined })} />
      )}
    </Page>
  );
}

/** Archives and restores, each with the other as Undo. A name that is taken by now is asked for. */
function useArchive(askName: (named: Named) => void) {
  const remove = useChange('archiveClient', CHANGED);
  const change = useChange('changeClient', CHANGED);
  const archive = (client: Client) =>
    tell(
      remove.mutateAsync([client.id]),
      `${client.name} is archived: nobody finds what belongs to it.`,
      () => void restore(client, true),
    );
  async function restore(client: Client, isUndo = false) {
    try {
      await change.mutateAsync([client.id, { state: 'active' }]);
      say(`${client.name} is active again.`, () => void archive(client));
    } catch (error) {
      const isTaken = error instanceof Refusal && error.code === 'conflict';
      if (isTaken) askName({ what: 'restore', client });
      // The Undo can be pressed on another page.
      if (!isTaken || isUndo) sayFailure(isTaken ? new Error(TAKEN) : (error as Error));
    }
  }
  return { archive, restore };
}

/** Who can open a client. */
function ClientPeople({ client: { id, name }, onClose }: { client: Client; onClose: () => void }) {
  const { changes, gives } = usePeopleRights();
  const grants = useGrants('clients');
  const members = useAll('listTeamMembers', {});
  const people = members.items
    .filter(({ role }) => role === 'member')
    .toSorted(byName)
    .map((one) => ({ id: one.userId, name: one.name, about: one.email, can: gives }));
  return (
    <Dialog isDrawer onClose={onClose} title={name}>
      <LoadedList list={grants.isRead ? members : grants}>
        {people.length > 0 && (
          <AccessRows
            label="Who can open it"
            noun="Member"
            rows={people}
            accessOf={(userId) => grants.accessOf(userId, id)}
            onChange={(ids, access, who) =>
              grants.set(
                ids.map((userId) => ({ userId, id, access })),
                accessSaid(who, access, name),
              )
            }
          />
        )}
      </LoadedList>
      <p className="mt-4 text-sm text-faint">
        Owners and Admins reach every client.{' '}
        {changes && (
          <Link to="/people" search={{ invite: '1' }} className="text-brand underline">
            Invite Members to open it to them
          </Link>
        )}
      </p>
    </Dialog>
  );
}

/** The operations whose answers are different when a client comes or goes. */
const CHANGED = ['listClients', 'listClientGrants', 'getSelectedTeam', 'listSources', 'getStatus'] as const;

/** The client of which the name is asked: a new one, one to rename, or one whose name is taken when it is restored. */
type Named = { what: 'new'; client?: undefined } | { what: 'rename' | 'restore'; client: Client };

const TEXTS = {
  new: ['New client', 'Create'],
  rename: ['Rename the client', 'Rename'],
  restore: ['Restore under another name', 'Restore'],
} as const;
const TAKEN = 'Another active client of the Team has this name. Choose another name.';

/** Asks for the name of a client. */
function ClientDialog({ named: { what, client }, onClose }: { named: Named; onClose: () => void }) {
  const create = useChange('createClient', CHANGED);
  const change = useChange('changeClient', CHANGED);
  const [title, action] = TEXTS[what];
  async function save(name: string) {
    if (what === 'new') {
      await create.mutateAsync([{ name }]);
      return say(`${name} is there. Owners and Admins can open it.`);
    }
    const { id, name: before } = client;
    if (what === 'rename' && name === before) return;
    await change.mutateAsync([id, { name, ...(what === 'restore' && { state: 'active' as const }) }]);
    if (what === 'restore') return say(`${name} is active again.`);
    const undo = () => void tell(change.mutateAsync([id, { name: before }]), `It is called ${before} again.`);
    say(`${before} is now called ${name}.`, undo);
  }
  return (
    <FormDialog
      title={title}
      action={action}
      onClose={onClose}
      send={async (fields) => {
        await atField(save(textIn(fields, 'name')), { conflict: ['name', TAKEN] });
        onClose();
      }}
    >
      <TextField
        label="Name"
        name="name"
        defaultValue={client?.name}
        hint={what === 'restore' && TAKEN}
        required
        maxLength={300}
        autoComplete="off"
        autoFocus
      />
    </FormDialog>
  );
}
