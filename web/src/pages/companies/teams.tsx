import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowUpRight, Building2 } from 'lucide-react';
import { useState } from 'react';
import type { Team } from '../../../../shared/schemas/teams.ts';
import { useAll, useChange, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useSession } from '../../app/session.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Name, Tag } from '../../ui/text.tsx';
import { say } from '../../ui/toast.tsx';
import { LinksDialog, type OneTimeLink } from '../people/links.tsx';
import { QuotaFields, TEAM_CHANGED, TeamEnd } from '../teams/parts.tsx';

/** What the person can do with a Team. */
const ACCESS = { none: 'None', full: 'Full access', member: 'Member', read: 'Read' };

/** The Teams of the Company: makes, renames, archives, restores and deletes them. */
export function Teams() {
  const [filters, setFilters] = useFilters('/company');
  const { teams } = useSession();
  const read = useAll('listTeams', {});
  const open = read.items.find(({ id }) => id === filters.open);
  return (
    <>
      <RecordList<Team>
        label="Teams"
        read={read}
        columns={[
          nameColumn('Name', ({ name }) => name, {
            open: ({ id }) => void setFilters({ open: id }),
            after: ({ state }) => state === 'archived' && <Tag>archived</Tag>,
          }),
          textColumn(
            'Your access',
            '7rem',
            ({ id }) => ACCESS[teams.find((team) => team.id === id)?.access ?? 'none'],
          ),
          timeColumn('Made', ({ createdAt }) => createdAt),
        ]}
        idOf={({ id }) => id}
        empty={
          <Empty icon={Building2} title="The Company has no Team yet">
            Make the first one: then people can be invited and files imported.
          </Empty>
        }
      />
      {filters.new !== undefined && <NewTeam onClose={() => setFilters({ new: undefined })} />}
      {open && <TeamDrawer team={open} onClose={() => void setFilters({ open: undefined })} />}
    </>
  );
}

/** A Team with what the Company can do about it. */
function TeamDrawer({ team, onClose }: { team: Team; onClose: () => void }) {
  const { company, teams } = useSession();
  const isOwner = company.role === 'owner';
  const { id, name, state } = team;
  const isActive = state === 'active';
  const { mutateAsync } = useChange('renameTeam', TEAM_CHANGED);
  // The list has no quotas.
  const whole = useRead('getTeam', [id], { enabled: isActive && isOwner });
  return (
    <Dialog open onClose={onClose} title={name} isDrawer>
      <div className="flex flex-col gap-6">
        {teams.some((mine) => mine.id === id) && (
          <Link to="/" search={{ team: id }} className={`${buttonClass()} w-fit`}>
            <ArrowUpRight aria-hidden size={16} />
            Go to the Team
          </Link>
        )}
        {isActive && (
          <div className="flex flex-col gap-4">
            <SavedField label="Name" value={name} save={(next) => mutateAsync([id, { name: next }])} />
            {isOwner && (
              <Loaded query={whole} skeleton={null}>
                {({ quota }) => quota && <QuotaFields id={id} quota={quota} />}
              </Loaded>
            )}
          </div>
        )}
        <TeamEnd team={team} onDeleted={onClose} />
      </div>
    </Dialog>
  );
}

/** In the place of the id of a member: someone who is invited by email. */
const INVITED = 'invited';

/** Makes a Team for the person, for someone of the Company, or for someone who is invited to own it. */
function NewTeam({ onClose }: { onClose: () => Promise<void> }) {
  const { user } = useSession();
  const navigate = useNavigate();
  const others = useAll('listCompanyMembers', {}).items.filter(({ userId }) => userId !== user.id);
  const { mutateAsync } = useChange('createTeam', ['listTeams', 'getSession']);
  const [owner, setOwner] = useState('');
  const [made, setMade] = useState<{ name: string; link: OneTimeLink } | null>(null);
  async function make(fields: FormData) {
    const name = textIn(fields, 'name');
    const invited = { ownerEmail: textIn(fields, 'ownerEmail') };
    const of = owner === INVITED ? invited : owner !== '' && { ownerUserId: owner };
    const { team, invite, url } = await mutateAsync([{ name, ...of }]);
    if (invite !== null && url !== null) return setMade({ name, link: { ...invite, url } });
    say(`The Team ${name} is made.`);
    // First, so that Back from the new Team does not open the form again.
    await onClose();
    if (owner === '') await navigate({ to: '/', search: { team: team.id } });
  }
  if (made !== null)
    return (
      <LinksDialog links={[made.link]} onClose={() => void onClose()}>
        Until the link is used, <Name className="font-medium">{made.name}</Name> has no Owner.
      </LinksDialog>
    );
  return (
    <FormDialog title="New Team" action="Make the Team" send={make} onClose={() => void onClose()}>
      <TextField label="Name" name="name" required maxLength={300} autoComplete="off" autoFocus />
      <SelectField
        label="Owner"
        name="ownerUserId"
        value={owner}
        options={[
          { value: '', name: 'You' },
          ...others.map(({ userId, name, email }) => ({ value: userId, name: `${name} (${email})` })),
          { value: INVITED, name: 'Someone else, invited by email' },
        ]}
        onChange={(event) => setOwner(event.target.value)}
      />
      {owner === INVITED && (
        <TextField label="Email of the Owner" name="ownerEmail" type="email" required maxLength={300} />
      )}
    </FormDialog>
  );
}
