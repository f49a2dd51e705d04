import { useMutation, useMutationState } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useAll, useChange } from '../../app/data.ts';
import { orGone } from '../../app/request.ts';
import { useTeamId } from '../../app/session.tsx';
import { TextFilter } from '../../ui/filter-bar.tsx';
import { Segments } from '../../ui/segments.tsx';
import { count, Name } from '../../ui/text.tsx';
import { tell } from '../../ui/toast.tsx';
import { matches } from './rights.ts';

/** What each access is called, and what someone who has it can do. */
const LEVELS = {
  none: { name: 'None', means: 'can no longer open' },
  read: { name: 'Read', means: 'can read' },
  write: { name: 'Write', means: 'can read and write' },
  full: { name: 'Full', means: 'has Full access to' },
} as const;

export type Access = keyof typeof LEVELS;

/** Says who has been given an access to what. */
export const accessSaid = (who: string, access: Access, what: string) =>
  `${who} ${LEVELS[access].means} ${what}.`;

interface Grant {
  userId: string;
  /** Of the client, or of the Team. */
  id: string;
  access: Access;
}

/** The grants of Members on clients, and those of Company Admins on Teams. */
const KINDS = {
  clients: { list: 'listClientGrants', give: 'giveClientGrant', revoke: 'revokeClientGrant' },
  teams: { list: 'listCompanyGrants', give: 'giveCompanyGrant', revoke: 'revokeCompanyGrant' },
} as const;

const keyOf = (userId: string, id: string) => `${userId} ${id}`;

/**
 * Who can open what. A change is shown and sent at once, one after the other; what the service refuses is shown as it was
 * before.
 */
export function useGrants(kind: keyof typeof KINDS) {
  const { list, ...names } = KINDS[kind];
  const { items, isRead, query } = useAll(list, {});
  const give = useChange(names.give, []);
  const revoke = useChange(names.revoke, []);
  const mutationKey = [useTeamId(), list];
  const change = useMutation({
    mutationKey,
    scope: { id: list },
    async mutationFn(grants: readonly Grant[]) {
      const problems: Error[] = [];
      for (const { userId, id, access } of grants) {
        // The levels of a kind are those that its operation takes.
        const sent =
          access === 'none'
            ? orGone(revoke.mutateAsync([userId, id]))
            : give.mutateAsync([userId, id, { access: access as 'read' }]);
        await sent.catch((error: Error) => problems.push(error));
      }
      if (problems[0])
        throw new Error(`${count(problems.length, 'change')} of access not made. ${problems[0].message}`);
    },
    onSettled: () => query.refetch(),
  });
  const grants = items.map((one) => ({ ...one, id: 'teamId' in one ? one.teamId : one.clientId }));
  const shown = new Map<string, Access>(grants.map(({ userId, id, access }) => [keyOf(userId, id), access]));
  const changes = useMutationState({ filters: { mutationKey }, select: ({ state }) => state });
  // Until what was changed could be read, it is shown as it was wished.
  for (const { status, submittedAt, variables } of changes)
    if (status === 'pending' || (status === 'success' && submittedAt > query.dataUpdatedAt))
      for (const { userId, id, access } of variables as readonly Grant[])
        shown.set(keyOf(userId, id), access);
  const accessOf = (userId: string, id: string) => shown.get(keyOf(userId, id)) ?? 'none';

  /** @param done what is said of it */
  function set(all: readonly Grant[], done: string) {
    const changed = all.filter(({ userId, id, access }) => access !== accessOf(userId, id));
    const before = changed.map(({ userId, id }) => ({ userId, id, access: accessOf(userId, id) }));
    const undo = () => void tell(change.mutateAsync(before), 'The access is as it was before.');
    if (changed.length > 0) void tell(change.mutateAsync(changed), done, undo);
  }

  /** How many someone can open. */
  const countOf = (userId: string) => grants.filter((grant) => grant.userId === userId).length;
  return { query, isRead, accessOf, countOf, set };
}

export type Grants = ReturnType<typeof useGrants>;

const LINE = 'flex min-h-10 items-center gap-2 border-b border-line px-3 last:border-b-0';
/** With more rows than this, a field filters them. */
const FILTER_FROM = 8;
/** No more rows than this are shown; the field finds the others. */
const SHOWN = 100;

interface Props {
  label: string;
  /** What one of the rows is called in a sentence. */
  noun: string;
  /** `can`: what can be done: to give access and take it away, or only to take it away. */
  rows: readonly { id: string; name: string; about?: string; can: 'give' | 'take' | false }[];
  accessOf: (id: string) => Access;
  /** @param what the name of the row, or how many they are */
  onChange: (ids: readonly string[], access: Access, what: string) => void;
  /** The strongest access that can be given. */
  most?: 'write' | 'full';
  /** The class of the height above which it scrolls. */
  height?: string;
  /** What stands beside the label. */
  children?: ReactNode;
}

/** The access to each of several clients or Teams, or of each of several people: one by one, or of all that are found. */
export function AccessRows(props: Props) {
  const { label, noun, rows, accessOf, onChange, most = 'write' } = props;
  const [sought, setSought] = useState('');
  const id = useId();
  const found = rows.filter(({ name, about = '' }) => matches(sought, [name, about]));
  const open = found.filter(({ can }) => can === 'give').map((row) => row.id);
  const levels = new Set(open.map(accessOf));
  const options = (['none', 'read', most] as const).map((value) => ({ value, name: LEVELS[value].name }));
  return (
    <div role="group" aria-labelledby={id}>
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-2">
        <span id={id} className="grow font-medium">
          {label}
        </span>
        {props.children}
      </div>
      {rows.length > FILTER_FROM && (
        <div className="mb-2">
          <TextFilter label="Find by name" value={sought} onChange={setSought} />
        </div>
      )}
      <ul className={`${props.height ?? 'max-h-[45vh]'} overflow-y-auto rounded-md border border-line`}>
        {open.length > 1 && (
          <li className={LINE}>
            <span className="grow text-soft">
              {sought.trim() === '' ? 'All' : 'All that are found'} ({open.length})
            </span>
            <Segments<Access | ''>
              label="All"
              value={(levels.size === 1 && [...levels][0]) || ''}
              options={options}
              onChange={(access) => onChange(open, access || 'none', count(open.length, noun))}
            />
          </li>
        )}
        {found.slice(0, SHOWN).map((row) => (
          <li key={row.id} className={LINE}>
            <span className="min-w-0 grow truncate" title={row.name}>
              <Name>{row.name}</Name>
              {row.about && <Name className="ml-1 text-sm text-faint">{row.about}</Name>}
            </span>
            <Segments
              // Several people can have one name.
              label={[row.name, row.about].filter(Boolean).join(', ')}
              value={accessOf(row.id)}
              options={options.filter(
                ({ value }) =>
                  value === accessOf(row.id) || row.can === 'give' || (row.can && value === 'none'),
              )}
              onChange={(access) => onChange([row.id], access, row.name)}
            />
          </li>
        ))}
      </ul>
      <p role="status" className="mt-1 text-sm text-faint empty:hidden">
        {found.length === 0 && 'Nothing has this in its name.'}
        {found.length > SHOWN && `${found.length - SHOWN} more: find them by their names.`}
      </p>
    </div>
  );
}
