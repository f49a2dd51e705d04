import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowUpRight, Building2, Check, KeyRound, Mail, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { AccessRequest } from '../../../../shared/schemas/people.ts';
import type { Team } from '../../../../shared/schemas/teams.ts';
import { useAll, useChange, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useNames } from '../../app/person.ts';
import { useSession } from '../../app/session.tsx';
import { useSendsMail } from '../../app/sign-in-options.ts';
import { Button, buttonClass, primaryButton } from '../../ui/button.tsx';
import { nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedField } from '../../ui/saved-field.tsx';
import { Empty, Loaded, LoadedList } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Name, Tag, Time } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { Invites, LinksDialog, type OneTimeLink } from '../people/invites.tsx';
import { Members } from '../people/people.tsx';
import { QuotaFields, TEAM_CHANGED, TeamEnd } from '../teams/parts.tsx';
import { TokenList } from '../tokens/token-list.tsx';

/** What someone can do with a Team. */
const ACCESS = { none: 'None', full: 'Full access', member: 'Member', read: 'Read' };

/** The page at /company. */
export default function CompanyPage() {
  const [filters, setFilters] = useFilters('/company');
  const { company } = useSession();
  const isOwner = company.role === 'owner';
  const requests = useAll('listAccessRequests', {}).items.filter(({ state }) => state === 'open').length;
  const rename = useChange('renameCompany', ['getCompany', 'getSession']);
  const make = (isMaking: boolean) => void setFilters({ new: isMaking ? '1' : undefined });
  const invites = <Invites of="company" isMaking={filters.new !== undefined} onMaking={make} />;
  /** The parts by what the address says of them. `action` opens a form, which the part shows by `new` in the address. */
  const parts = [
    { value: undefined, name: 'Teams', action: 'New Team', shows: <Teams /> },
    { value: 'people', name: 'People', shows: <Members of="company" {...{ filters, setFilters }} /> },
    { value: 'invitations', name: 'Invitations', action: isOwner && 'Invite Admins', shows: invites },
    {
      value: 'requests',
      name: 'Access requests',
      action: !isOwner && 'Ask for access',
      count: requests || undefined,
      shows: <AccessRequests />,
    },
    isOwner && {
      value: 'tokens',
      name: 'Tokens',
      shows: (
        <TokenList of="listCompanyTokens">
          Everyone makes their own on the page of tokens of a Team.
        </TokenList>
      ),
    },
    isOwner && {
      value: 'general',
      name: 'General',
      shows: (
        <div className="flex max-w-2xl flex-col gap-6">
          <SavedField label="Name" value={company.name} save={(name) => rename.mutateAsync([{ name }])} />
          <TestMail />
        </div>
      ),
    },
  ].filter((part) => part !== false);
  const { value, name, action, shows } = parts.find((part) => part.value === filters.part) ?? parts[0]!;
  return (
    <Page shows={name} actions={action && primaryButton(Plus, action, () => make(true))}>
      <Tabs label="Parts of the Company" parameter="part" value={value} tabs={parts} />
      {shows}
    </Page>
  );
}

/** Mails the person, to try the mail server. */
function TestMail() {
  const { email } = useSession().user;
  const sendsMail = useSendsMail();
  const test = useChange('sendTestMail', []);
  if (sendsMail === undefined) return null;
  return (
    <section aria-labelledby="test-mail" className="flex flex-col items-start gap-2">
      <h2 id="test-mail" className="font-medium">
        Mail
      </h2>
      {sendsMail ? (
        <>
          <p className="text-soft">
            Invites and links for new passwords are mailed. A test mail goes to{' '}
            <Name className="font-medium">{email}</Name>.
          </p>
          <Button
            icon={Mail}
            busy={test.isPending}
            onClick={() => void tell(test.mutateAsync([]), `A test mail to ${email} is on its way.`)}
          >
            Send a test mail
          </Button>
        </>
      ) : (
        <p className="text-soft">
          This service sends no mail: you send links of invites yourself. Whoever runs the service can turn
          mail on.
        </p>
      )}
    </section>
  );
}

/** The Teams of the Company: makes, renames, archives, restores and deletes them. */
function Teams() {
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
    <Dialog onClose={onClose} title={name} isDrawer>
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

const CHOICES = [
  { value: 'read', name: 'Read everything in it' },
  { value: 'full', name: 'Full access: read and change everything' },
];
const TONES = { open: 'warn', approved: 'good', denied: 'plain' } as const;
const CHANGED = ['listAccessRequests', 'listCompanyGrants'] as const;

/** Access requests: an Owner decides on them, an Admin makes them and sees their own. */
function AccessRequests() {
  const isOwner = useSession().company.role === 'owner';
  const read = useAll('listAccessRequests', {});
  const personOf = useNames('listCompanyMembers', 'Someone who has left');
  const teamOf = useNames('listTeams', 'A deleted Team');
  const approve = useChange('approveAccessRequest', CHANGED);
  const deny = useChange('denyAccessRequest', CHANGED);
  const busy = approve.isPending || deny.isPending;
  const [filters, setFilters] = useFilters('/company');
  // What waits for a decision comes first.
  const sorted = read.items.toSorted((a, b) => Number(b.state === 'open') - Number(a.state === 'open'));
  const decide = (by: typeof approve | typeof deny, { id, userId }: AccessRequest, done: string) =>
    void tell(by.mutateAsync([id]), `The request of ${personOf(userId)} is ${done}.`);
  return (
    <LoadedList list={read}>
      {sorted.length === 0 && (
        <Empty icon={KeyRound} title={`${isOwner ? 'Nobody has' : 'You have not'} asked for access`}>
          Admins of the Company ask here for access to Teams of others. An Owner decides.
        </Empty>
      )}
      <ul aria-label="Access requests">
        {sorted.map((request) => {
          const { id, userId, teamId, access, state, reason, createdAt, decidedBy } = request;
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2.5">
              <div className="min-w-60 grow basis-0">
                <p>
                  <Name className="font-medium">{personOf(userId)}</Name> asks for {ACCESS[access]} in{' '}
                  <Name className="font-medium">{teamOf(teamId)}</Name> <Tag tone={TONES[state]}>{state}</Tag>
                </p>
                <p dir="auto" className="text-soft empty:hidden">
                  {reason}
                </p>
              </div>
              <span className="text-sm text-faint">
                <Time at={createdAt} />
                {decidedBy !== null && [', decided by ', <Name key="name">{personOf(decidedBy)}</Name>]}
              </span>
              {isOwner && state === 'open' && (
                <span className="flex gap-2">
                  <Button icon={Check} busy={busy} onClick={() => decide(approve, request, 'approved')}>
                    Approve
                  </Button>
                  <Button look="quiet" icon={X} busy={busy} onClick={() => decide(deny, request, 'denied')}>
                    Deny
                  </Button>
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {!isOwner && filters.new !== undefined && (
        <AskForAccess onClose={() => void setFilters({ new: undefined })} />
      )}
    </LoadedList>
  );
}

/** An Admin asks for access to a Team. */
function AskForAccess({ onClose }: { onClose: () => void }) {
  const mine = useSession().teams;
  const read = useAll('listTeams', {});
  const teams = read.items.filter(
    ({ id, state }) => state === 'active' && mine.find((team) => team.id === id)?.access !== 'full',
  );
  const { mutateAsync } = useChange('requestAccess', ['listAccessRequests']);
  async function ask(fields: FormData) {
    const reason = textIn(fields, 'reason');
    await mutateAsync([
      {
        teamId: textIn(fields, 'teamId'),
        access: textIn(fields, 'access') === 'full' ? 'full' : 'read',
        ...(reason !== '' && { reason }),
      },
    ]);
    onClose();
    say('Your request is sent. An Owner of the Company decides on it.');
  }
  return (
    <FormDialog title="Ask for access" action="Send the request" send={ask} onClose={onClose}>
      <LoadedList list={read}>
        <SelectField
          label="Team"
          name="teamId"
          hint={teams.length === 0 && 'You have Full access to every Team.'}
          options={teams.map(({ id, name }) => ({ value: id, name }))}
        />
      </LoadedList>
      <SelectField label="Access" name="access" options={CHOICES} />
      <TextArea label="Reason (optional)" name="reason" rows={3} maxLength={1000} />
    </FormDialog>
  );
}
