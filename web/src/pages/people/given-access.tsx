import { type ReactNode, useState } from 'react';
import type { Invite } from '../../../../shared/schemas/people.ts';
import { useAll } from '../../app/data.ts';
import { Segments } from '../../ui/segments.tsx';
import { type Access, AccessRows } from './access.tsx';
import { byName, ORDER, type Role } from './rights.ts';

/** The most clients that a request opens. */
const MAX_GRANTS = 200;
const NAMES: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin, with Full access',
  member: 'Member',
};

interface GivenAccess {
  role: Role;
  /**
   * The grants to send.
   * @throws Error if they are too many
   */
  grants: () => Invite['grants'];
  /** The fields, of a form about a Team. */
  fields: ReactNode;
}

/**
 * The role in the Team that a form gives, and the clients that it opens for a Member.
 * @param roles those that can be chosen
 * @param like what it begins with
 */
export function useGivenAccess(
  roles: readonly Role[],
  isTeam: boolean,
  like?: Pick<Invite, 'role' | 'grants'>,
): GivenAccess {
  const [role, setRole] = useState<Role>(like?.role ?? 'member');
  const [access, setAccess] = useState<ReadonlyMap<string, Access>>(
    new Map(like?.grants.map((one) => [one.clientId, one.access])),
  );
  const clients = useAll('listClients', {}, isTeam);
  // Of an invite that is made again, a client can be archived by now.
  const isGone = (id: string) => clients.isRead && !clients.items.some((one) => one.id === id);

  function grants() {
    const given = [...access].flatMap(([clientId, level]) =>
      level === 'none' || role !== 'member' || isGone(clientId)
        ? []
        : [{ clientId, access: level as 'read' | 'write' }],
    );
    if (given.length > MAX_GRANTS)
      throw new Error(`At most ${MAX_GRANTS} clients can be opened at once. Open the others afterwards.`);
    return given;
  }
  // Weakest first, as they are chosen most often.
  const options = ORDER.filter((one) => roles.includes(one))
    .toReversed()
    .map((value) => ({ value, name: NAMES[value] }));
  const fields = isTeam && (
    <>
      <Segments isLabelShown label="Role" value={role} options={options} onChange={setRole} />
      {role === 'member' && clients.items.length > 0 && (
        <AccessRows
          label="Clients"
          noun="client"
          rows={clients.items.toSorted(byName).map((one) => ({ ...one, can: 'give' }))}
          height="max-h-[24vh]"
          accessOf={(id) => access.get(id) ?? 'none'}
          onChange={(ids, level) => setAccess(new Map([...access, ...ids.map((id) => [id, level] as const)]))}
        />
      )}
    </>
  );
  return { role, grants, fields };
}
