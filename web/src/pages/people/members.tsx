import { Eraser, UserMinus, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Member } from '../../../../shared/schemas/people.ts';
import { useAll, useChange } from '../../app/data.ts';
import { useSessionContext } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { ConfirmAct, TypedConfirm } from '../../ui/form-dialog.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, LoadedList } from '../../ui/states.tsx';
import { count, Name, Tag, Time } from '../../ui/text.tsx';
import { say, tell } from '../../ui/toast.tsx';
import { AccessRows } from './access-rows.tsx';
import { type Grants, MEANS, useGrants } from './grants.ts';
import { ResetLink } from './links.tsx';
import { PLACES, type Where } from './places.ts';
import { byName, matches, ROLES, type Role, rightsIn, withArticle } from './rights.ts';

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
  const context = useSessionContext();
  const { manages } = rightsIn(of, context);
  const read = useAll(members, {});
  const grants = useGrants(kind);
  const shown = read.items.filter(({ name, email }) => matches(filters.q, [name, email]));
  const open = manages && read.items.find(({ userId }) => userId === filters.person);
  function reachOf({ userId, role }: Member): string {
    if (role !== granted) return reach[role];
    return grants.isRead ? count(grants.countOf(userId), noun) : '';
  }
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
            after: ({ userId }) =>
              userId === context.session.user.id && <span className="text-faint">(you)</span>,
          }),
          textColumn('Email', 'minmax(0,1fr)', ({ email }) => email),
          { name: 'Role', width: '5.5rem', cell: ({ role }) => <Tag>{ROLES[role]}</Tag> },
          manages && textColumn('Reaches', '8rem', reachOf),
          timeColumn('Since', ({ createdAt }) => createdAt),
        ]}
        idOf={({ userId }) => userId}
        empty={
          filters.q === undefined ? (
            empty
          ) : (
            <Empty icon={Users} title="Nobody has this in their name or email" />
          )
        }
      />
      {open && (
        <Person
          key={open.userId}
          {...{ of, member: open, members: read.items, grants }}
          onClose={() => void setFilters({ person: undefined })}
        />
      )}
    </>
  );
}

interface PersonProps {
  of: Where;
  member: Member;
  members: readonly Member[];
  grants: Grants;
  onClose: () => void;
}

/** Someone: the role, the access by grants, a link for a new password, and the end of it. */
function Person(props: PersonProps) {
  const { of, member, grants, onClose } = props;
  const { userId, name, email, createdAt } = member;
  const { name: place, remove: removeBy, granted, ends } = PLACES[of];
  const context = useSessionContext();
  const { removes } = rightsIn(of, context, member);
  const [asks, setAsks] = useState<'remove' | 'erase' | null>(null);
  const remove = useChange(removeBy, CHANGED);
  const erase = useChange('eraseCompanyMember', CHANGED);
  const isUser = userId === context.session.user.id;
  const isOwner = context.session.company.role === 'owner';
  return (
    <Dialog isDrawer open onClose={onClose} title={isUser ? `${name} (you)` : name}>
      <div className="flex flex-col gap-6">
        <p className="text-soft">
          <Name>{email}</Name> · in {place} since <Time at={createdAt} />
        </p>
        <RoleChoice {...props} />
        {member.role === granted && (
          <LoadedList query={grants.query}>
            <Access {...props} />
          </LoadedList>
        )}
        <div className="flex flex-wrap gap-2">
          {isOwner && !isUser && <ResetLink member={member} />}
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
  const context = useSessionContext();
  const { roles } = rightsIn(of, context, member);
  const isUser = userId === context.session.user.id;
  const change = useChange(changeRole, CHANGED);
  const [wished, setWished] = useState<Role | null>(null);
  const [asked, setAsked] = useState<Role | null>(null);
  const shown = wished ?? role;
  const set = (next: Role) => change.mutateAsync([userId, { role: next }]);
  const done = (next: Role) => `${name} is now ${withArticle(next)}.`;
  const order = Object.keys(ROLES);
  const losesGrants = of === 'company' && role === 'admin';
  async function choose(next: Role) {
    if (losesGrants || order.indexOf(next) > order.indexOf(role)) return setAsked(next);
    const undo = () => void tell(set(role), done(role));
    setWished(next);
    await tell(set(next), done(next), isUser ? undefined : undo);
    setWished(null);
  }
  return (
    <div>
      {roles.length > 0 ? (
        <Segments
          isLabelShown
          label="Role"
          value={shown}
          options={roles.map((value) => ({ value, name: ROLES[value] }))}
          onChange={(next) => void choose(next)}
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
function Access({ of, member: { userId, name }, members, grants }: PersonProps) {
  const { records, noun, most, granted } = PLACES[of];
  const { gives } = rightsIn(of, useSessionContext());
  const read = useAll(records, {});
  const accessOf = (id: string) => grants.accessOf(userId, id);
  const rows = read.items
    .filter(({ id, state }) => state === 'active' || accessOf(id) !== 'none')
    .toSorted(byName)
    .map((one) => ({ ...one, ...(one.state === 'archived' && { about: 'archived' }) }));
  const others = members.filter((other) => other.role === granted && other.userId !== userId);
  function likeAnother(other: Member) {
    const some = rows.filter(({ state }) => state === 'active');
    const like = some.map(({ id }) => ({ userId, id, access: grants.accessOf(other.userId, id) }));
    grants.set(like, `${name} has the access of ${other.name}.`);
  }
  return (
    <LoadedList query={read.query}>
      {rows.length === 0 ? (
        <p className="text-sm text-faint">There are no {noun}s yet.</p>
      ) : (
        <AccessRows
          label={`Access to ${noun}s`}
          noun={noun}
          most={most}
          rows={rows}
          canChange={({ state }) => (gives === 'give' && state === 'archived' ? 'take' : gives)}
          accessOf={accessOf}
          onChange={(ids, access, what) =>
            grants.set(
              ids.map((id) => ({ userId, id, access })),
              `${name} ${MEANS[access]} ${what}.`,
            )
          }
        >
          {gives === 'give' && others.length > 0 && (
            <Menu
              trigger={
                <Button look="quiet" icon={Users}>
                  Same access as …
                </Button>
              }
            >
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
