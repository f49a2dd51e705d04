import { Plus } from 'lucide-react';
import { useAll, useChange } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { COMPANY } from '../../app/pages.tsx';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Invites } from '../people/invites.tsx';
import { Members } from '../people/members.tsx';
import { useNames } from '../people/rights.ts';
import { TokenList } from '../tokens/token-list.tsx';
import { AccessRequests } from './requests.tsx';
import { Teams } from './teams.tsx';

/** The page at /company. */
export default function CompanyPage() {
  const [filters, setFilters] = useFilters('/company');
  const { company } = useSession();
  const isOwner = company.role === 'owner';
  const requests = useAll('listAccessRequests', {}).items.filter(({ state }) => state === 'open').length;
  /** The parts by what the address says of them. `action` opens a form, which the part shows by `new` in the address. */
  const parts = [
    { value: undefined, name: 'Teams', action: 'New Team', count: undefined },
    { value: 'people', name: 'People' },
    { value: 'invitations', name: 'Invitations', action: isOwner && 'Invite Admins' },
    {
      value: 'requests',
      name: 'Access requests',
      action: !isOwner && 'Ask for access',
      count: requests || undefined,
    },
    ...(isOwner
      ? [
          { value: 'tokens', name: 'Tokens' },
          { value: 'general', name: 'General' },
        ]
      : []),
  ];
  const { value, name, action } = parts.find((part) => part.value === filters.part) ?? parts[0]!;
  const make = (isMaking: boolean) => void setFilters({ new: isMaking ? '1' : undefined });
  const isMaking = filters.new !== undefined;
  return (
    <Page
      title={COMPANY.name}
      shows={name}
      actions={
        action && (
          <Button look="primary" icon={Plus} onClick={() => make(true)}>
            {action}
          </Button>
        )
      }
    >
      <Tabs label="Parts of the Company" parameter="part" value={value} tabs={parts} />
      {value === undefined && <Teams />}
      {value === 'people' && <Members of="company" filters={filters} setFilters={setFilters} />}
      {value === 'invitations' && <Invites of="company" isMaking={isMaking} onMaking={make} />}
      {value === 'requests' && <AccessRequests />}
      {value === 'tokens' && <Tokens />}
      {value === 'general' && <General />}
    </Page>
  );
}

/** The agent tokens of everyone in the Company, for its Owners. */
const Tokens = () => (
  <TokenList
    of="listCompanyTokens"
    ownerOf={useNames('listCompanyMembers', 'someone who has left')}
    empty={<p>Everyone makes their own on the page of tokens of a Team.</p>}
  />
);

/** What is about the Company as a whole. */
function General() {
  const { company } = useSession();
  const { mutateAsync } = useChange('renameCompany', ['getCompany', 'getSession']);
  return (
    <div className="max-w-2xl">
      <SavedField label="Name" value={company.name} save={(name) => mutateAsync([{ name }])} />
    </div>
  );
}
