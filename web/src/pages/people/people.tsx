import { Eraser, KeyRound, UserCheck, UserMinus, UserPlus, Users } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Member } from '../../../../shared/schemas/people.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useSession } from '../../app/session.tsx';
import { Button, primaryButton } from '../../ui/button.tsx';
import { nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { ConfirmAct, FormDialog, TypedConfirm } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, LoadedList } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { AccessRows, accessSaid, type Grants, useGrants } from './access.tsx';
import { Invites, LinkHours, LinksDialog, type OneTimeLink } from './invites.tsx';
import {
  byName,
  matches,
  ORDER,
  PLACES,
  ROLES,
  type Role,
  usePeopleRights,
  type Where,
  withArticle,
} from './rights.ts';

const AddPerson = lazy(() => import('./add-person.tsx'));

const TABS = [
  { value: undefined, name: 'Members' },
  { value: 'invites', name: 'Invites' },
];

/** The page at /people. */
export default function People() {
  const [filters, setFilters] = useFilters('/people');
  const { manages, changes } = usePeopleRights();
  const { total } = useAll('listTeamMembers', {});
  const isMaking = changes && filters.invite !== undefined;
  const tab = manages && (isMaking || filters.tab === 'invites') ? 'invites' : undefined;
  const make = (isOpen: boolean) => void setFilters({ invite: isOpen ? '1' : undefined, tab: 'invites' });
  const add = (isOpen: boolean) => void setFilters({ add: isOpen ? '1' : undefined });
  const buttons = changes && (
    <>
      <Button icon={UserCheck} onClick={() => add(true)}>
        Add a person
      </Button>
      {primaryButton(UserPlus, 'Invite people', () => make(true))}
    </>
  );
  return (
    <Page total={total} actions={buttons}>
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
                {buttons || <p>An Owner of the Company can invite someone.</p>}
              </Empty>
            }
          />
          <p className="mt-4 text-sm text-faint">
            Owners of the Company have Full access as well, and those of its Admins to whom an Owner gave it.
            {!manages && ' To change who is in the Team, ask one of its Owners or Admins.'}
          </p>
        </>
      )}
      {changes && filters.add !== undefined && (
        <Suspense>
          <AddPerson onClose={() => add(false)} />
        </Suspense>
      )}
    </Page>
  );
}

/** The operations whose answers are different when someone has another role, or is gone. */
const CHANGED = [
  'listTeamMembers',
  'listCompanyMembers',
  'listClientGrants',
  'listCompanyGrants',
  'listInvites',
  'listInvitations',
  'listAccessRequests',
  'listTokens',
  'listTeamTokens',
  'listCompanyTokens',
  'getSelectedTeam',
  'getSession',
] as const;

interface Props {
  of: Where;
  /** What the address says: who is sought, and who is open. */
  filters: { q?: string | undefined; person?: string | undefined };
  setFilters: (some: Props['filters']) => unknown;
  /** What the list shows if there is nobody. */
  empty?: ReactNode;
}

/** The people of the Team or of the Company; whoever manages them opens each in a panel. */
export function Members({ of, filters, setFilters, empty }: Props) {
  const { members, grants: kind, noun, granted, reach } = PLACES[of];
  const { user } = useSession();
  const { manages } = usePeopleRights(of);
  const read = useAll(members, {});
  const grants = useGrants(kind);
  const shown = read.items.filter(({ name, email }) => matches(filters.q, [name, email]));
  const open = manages && read.items.find(({ userId }) => userId === filters.person);
  function reachOf({ userId, role }: Member): string {
    if (role !== granted) return reach[role];
    return grants.isRead ? count(grants.countOf(userId), noun) : '';
  }
  const nobody = <Empty icon={Users} title="Nobody has this in their name or email" />;
  return (
    <>
      <FilterBar>
        <TextFilter label="Name or email" value={filters.q} onChange={(q) => void setFilters({ q })} />
      </FilterBar>
      <RecordList<Member>
        label="Members"
        read={{ ...read, items: shown }}
        columns={[
          nameColumn('Name', ({ name }) => name, {
            open: manages ? ({ userId }) => void setFilters({ person: userId }) : undefined,
            after: ({ userId }) => userId === user.id && <span className="text-faint">(you)</span>,
          }),
          textColumn('Email', 'minmax(0,1fr)', ({ email }) => email),
          { name: 'Role', width: '5.5rem', cell: ({ role }) => <Tag>{ROLES[role]}</Tag> },
          manages && textColumn('Reaches', '8rem', reachOf),
          timeColumn('Since', ({ createdAt }) => createdAt),
        ]}
        empty={filters.q === undefined ? empty : nobody}
      />
      {open && (
        <Person
          key={open.userId}
          {...{ of, member: open, grants }}
          onClose={() => void setFilters({ person: undefined })}
        />
      )}
    </>
  );
}

interface PersonProps {
  of: Where;
  member: Member;
  grants: Grants;
  onClose: () => void;
}

/** Someone: the role, the access by grants, a link for a new password, and the end of it. */
function Person(props: PersonProps) {
  const { of, member, onClose } = props;
  const { userId, name, email, createdAt } = member;
  const { name: place, remove: removeBy, granted, ends } = PLACES[of];
  const { user, company } = useSession();
  const removes = usePeopleRights(of).canRemove(member);
  const [asks, setAsks] = useState<'remove' | 'erase' | null>(null);
  const remove = useChange(removeBy, CHANGED);
  const erase = useChange('eraseCompanyMember', CHANGED);
  const isUser = userId === user.id;
  return (
    <Dialog isDrawer onClose={onClose} title={isUser ? `${name} (you)` : name}>
      <div className="flex flex-col gap-6">
        <p className="text-soft">
          <Name>{email}</Name> · in {place} since <Time at={createdAt} />
        </p>
        <RoleChoice {...props} />
        {member.role === granted && <Access {...props} />}
        <div className="flex flex-wrap gap-2">
          {company.role === 'owner' && !isUser && <ResetLink member={member} />}
          {removes && (
            <Button look="danger" icon={UserMinus} onClick={() => setAsks('remove')}>
              {isUser ? 'Leave' : 'Remove from'} {place}
            </Button>
          )}
          {of === 'company' && removes && (
            <Button look="danger" icon={Eraser} onClick={() => setAsks('erase')}>
              Erase
            </Button>
          )}
        </div>
      </div>
      {asks === 'remove' && (
        <ConfirmAct
          onClose={() => setAsks(null)}
          title={isUser ? `Leave ${place}?` : `Remove ${name} from ${place}?`}
          action={isUser ? 'Leave' : 'Remove'}
          act={() => remove.mutateAsync([userId]).then(onClose)}
          done={isUser ? `You have left ${place}.` : `${name} was removed from ${place}.`}
        >
          <ul className="list-disc pl-4">
            {ends.map((end) => (
              <li key={end}>{end}</li>
            ))}
          </ul>
        </ConfirmAct>
      )}
      {asks === 'erase' && (
        <TypedConfirm
          title={`Erase ${name} for good?`}
          action="Erase the person"
          typed={email}
          label="Type the email of the person"
          onClose={() => setAsks(null)}
          send={async () => {
            const erased = await erase.mutateAsync([userId]);
            onClose();
            say(`${name} is erased, and is called ${erased.name} from now on.`);
          }}
        >
          The account of <Name className="font-medium">{email}</Name> is closed. The name, the email, the
          sessions, the agent tokens and the invites to this person are deleted. What was stored stays in the
          Teams, under a pseudonym. Nobody can undo this.
        </TypedConfirm>
      )}
    </Dialog>
  );
}

/** A role that is raised can be lowered again. One that is lowered loses what cannot be given back, so it asks. */
function RoleChoice({ of, member: { userId, name, role }, member }: PersonProps) {
  const { changeRole, means } = PLACES[of];
  const roles = usePeopleRights(of).rolesFor(member);
  const isUser = userId === useSession().user.id;
  const change = useChange(changeRole, CHANGED);
  const [asked, setAsked] = useState<Role | null>(null);
  const shown = change.isPending ? change.variables[1].role : role;
  const set = (next: Role) => change.mutateAsync([userId, { role: next }]);
  const done = (next: Role) => `${name} is now ${withArticle(next)}.`;
  const losesGrants = of === 'company' && role === 'admin';
  function choose(next: Role) {
    if (losesGrants || ORDER.indexOf(next) > ORDER.indexOf(role)) return setAsked(next);
    const undo = () => void tell(set(role), done(role));
    void tell(set(next), done(next), isUser ? undefined : undo);
  }
  return (
    <div>
      {roles.length > 0 ? (
        <Segments
          isLabelShown
          label="Role"
          value={shown}
          options={roles.map((value) => ({ value, name: ROLES[value] }))}
          onChange={choose}
        />
      ) : (
        <p className="font-medium">{ROLES[shown]}</p>
      )}
      <p className="mt-1 text-sm text-faint">{means[shown]}</p>
      {asked !== null && (
        <ConfirmAct
          onClose={() => setAsked(null)}
          title={`Make ${isUser ? 'yourself' : name} ${withArticle(asked)}?`}
          action="Change the role"
          act={() => set(asked)}
          done={done(asked)}
        >
          {losesGrants && 'The access to Teams that was given ends, and open access requests are denied. '}
          Open invites that {withArticle(asked)} cannot make are revoked.
          {isUser && ' You cannot give yourself the role back.'}
        </ConfirmAct>
      )}
    </div>
  );
}

/** What someone can open by grants. In an archived Team, and to one, access can only be taken away. */
function Access({ of, member: { userId, name }, grants }: PersonProps) {
  const { records, members, noun, most, granted } = PLACES[of];
  const { gives } = usePeopleRights(of);
  const read = useAll(records, {});
  const accessOf = (id: string) => grants.accessOf(userId, id);
  const rows = read.items
    .filter(({ id, state }) => state === 'active' || accessOf(id) !== 'none')
    .toSorted(byName)
    .map(({ id, name: title, state }) =>
      state === 'active'
        ? { id, name: title, can: gives }
        : { id, name: title, about: 'archived', can: gives && ('take' as const) },
    );
  const everyone = useAll(members, {}).items;
  const others = everyone.filter((other) => other.role === granted && other.userId !== userId);
  const trigger = (
    <Button look="quiet" icon={Users}>
      Same access as …
    </Button>
  );
  function likeAnother(other: Member) {
    const some = rows.filter(({ can }) => can === 'give');
    const like = some.map(({ id }) => ({ userId, id, access: grants.accessOf(other.userId, id) }));
    grants.set(like, `${name} has the access of ${other.name}.`);
  }
  return (
    <LoadedList list={grants.isRead ? read : grants}>
      {rows.length === 0 ? (
        <p className="text-sm text-faint">There are no {noun}s yet.</p>
      ) : (
        <AccessRows
          label={`Access to ${noun}s`}
          noun={noun}
          most={most}
          rows={rows}
          accessOf={accessOf}
          onChange={(ids, access, what) =>
            grants.set(
              ids.map((id) => ({ userId, id, access })),
              accessSaid(name, access, what),
            )
          }
        >
          {gives === 'give' && others.length > 0 && (
            <Menu trigger={trigger}>
              {others.map((other) => (
                <MenuItem key={other.userId} onClick={() => likeAnother(other)}>
                  <Name>{other.name}</Name>
                  <Name className="text-sm text-faint">{other.email}</Name>
                </MenuItem>
              ))}
            </Menu>
          )}
        </AccessRows>
      )}
    </LoadedList>
  );
}

/** A button that makes a link by which someone sets a new password. */
function ResetLink({ member: { userId, name, email } }: { member: Member }) {
  const make = useChange('createMemberResetLink', []);
  const [shown, setShown] = useState<'form' | OneTimeLink | null>(null);
  const close = () => setShown(null);
  async function send(fields: FormData) {
    const answer = await make.mutateAsync([userId, { ttlSeconds: Number(fields.get('hours')) * 3600 }]);
    setShown({ email, ...answer });
  }
  return (
    <>
      <Button icon={KeyRound} onClick={() => setShown('form')}>
        Link to set a new password
      </Button>
      {shown === 'form' && (
        <FormDialog title="Link to set a new password" action="Make the link" onClose={close} send={send}>
          <p className="text-soft">
            Anyone with the link can sign in as <Name className="font-medium">{name}</Name>. It replaces the
            one before.
          </p>
          <LinkHours hours={[1, 4, 24]} initial={1} />
        </FormDialog>
      )}
      {typeof shown === 'object' && shown && (
        <LinksDialog links={[shown]} onClose={close}>
          With it, <Name className="font-medium">{name}</Name> sets a new password. Earlier sessions then end.
        </LinksDialog>
      )}
    </>
  );
}
