import { UserPlus, Users } from 'lucide-react';
import { useAll } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { PEOPLE } from '../../app/pages.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Invites } from './invites.tsx';
import { Members } from './members.tsx';
import { useRights } from './rights.ts';

const TABS = [
  { value: undefined, name: 'Members' },
  { value: 'invites', name: 'Invites' },
];

/** The page at /people. */
export default function People() {
  const [filters, setFilters] = useFilters('/people');
  const { manages, changes } = useRights();
  const { total } = useAll('listTeamMembers', {});
  const isMaking = changes && filters.invite !== undefined;
  const tab = manages && (isMaking || filters.tab === 'invites') ? 'invites' : undefined;
  const make = (isOpen: boolean) => void setFilters({ invite: isOpen ? '1' : undefined, tab: 'invites' });
  const inviteButton = changes && (
    <Button look="primary" icon={UserPlus} onClick={() => make(true)}>
      Invite people
    </Button>
  );
  return (
    <Page title={PEOPLE.name} total={total} actions={inviteButton}>
      {manages && <Tabs label="People" parameter="tab" value={tab} tabs={TABS} />}
      {tab === 'invites' ? (
        <Invites of="team" isMaking={isMaking} onMaking={make} />
      ) : (
        <>
          <Members
            of="team"
            filters={filters}
            setFilters={setFilters}
            empty={
              <Empty icon={Users} title="Nobody has a role in this Team yet">
                {inviteButton || <p>An Owner of the Company can invite someone.</p>}
              </Empty>
            }
          />
          <p className="mt-4 text-sm text-faint">
            Owners of the Company have Full access as well, and those of its Admins to whom an Owner gave it.
            {!manages && ' To change who is in the Team, ask one of its Owners or Admins.'}
          </p>
        </>
      )}
    </Page>
  );
}
