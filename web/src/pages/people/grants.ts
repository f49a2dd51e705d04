import { useRef, useState } from 'react';
import { useAll, useChange } from '../../app/data.ts';
import { orGone } from '../../app/request.ts';
import { count } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';

export type Access = 'none' | 'read' | 'write' | 'full';
interface Grant {
  userId: string;
  /** Of the client, or of the Team. */
  id: string;
  access: Access;
}

/** What someone with this access can do. */
export const MEANS: Readonly<Record<Access, string>> = {
  none: 'can no longer open',
  read: 'can read',
  write: 'can read and write',
  full: 'has Full access to',
};

/** The grants of Members on clients, and those of Company Admins on Teams. */
const KINDS = {
  clients: { list: 'listClientGrants', give: 'giveClientGrant', revoke: 'revokeClientGrant' },
  teams: { list: 'listCompanyGrants', give: 'giveCompanyGrant', revoke: 'revokeCompanyGrant' },
} as const;

const keyOf = ({ userId, id }: Omit<Grant, 'access'>) => `${userId} ${id}`;

/**
 * Who can open what. A change is shown and sent at once, one after the other; what the service refuses is shown as it was
 * before.
 */
export function useGrants(kind: keyof typeof KINDS) {
  const names = KINDS[kind];
  const read = useAll(names.list, {});
  const give = useChange(names.give, []);
  const revoke = useChange(names.revoke, []);
  /** What was chosen, and the service does not have yet. */
  const [wished, setWished] = useState<ReadonlyMap<string, Access>>(new Map());
  const queue = useRef(Promise.resolve());
  const waiting = useRef(0);
  const grants = read.items.map((one) => ({ ...one, id: 'teamId' in one ? one.teamId : one.clientId }));
  const stored = new Map(grants.map((grant) => [keyOf(grant), grant.access]));
  const accessOf = (userId: string, id: string): Access =>
    wished.get(keyOf({ userId, id })) ?? stored.get(keyOf({ userId, id })) ?? 'none';

  async function send({ userId, id, access }: Grant) {
    // The levels of a kind are those that its operation takes.
    if (access !== 'none') return void (await give.mutateAsync([userId, id, { access: access as 'read' }]));
    await orGone(revoke.mutateAsync([userId, id]));
  }

  async function sendAll(changed: readonly Grant[], done: string, undo?: () => void) {
    const problems: Error[] = [];
    for (const grant of changed) await send(grant).catch((error: Error) => problems.push(error));
    const { isSuccess } = await read.query.refetch();
    waiting.current -= 1;
    const [problem] = problems;
    // Until what was changed could be read, it is shown as it was wished.
    if (waiting.current === 0 && (isSuccess || problem)) setWished(new Map());
    if (problem === undefined) say(done, undo);
    else sayFailure(new Error(`${count(problems.length, 'change')} of access not made. ${problem.message}`));
  }

  function put(changed: readonly Grant[], done: string, undo?: () => void) {
    setWished((now) => new Map([...now, ...changed.map((grant) => [keyOf(grant), grant.access] as const)]));
    waiting.current += 1;
    queue.current = queue.current.then(() => sendAll(changed, done, undo));
  }

  /** @param done what is said of it */
  function set(all: readonly Grant[], done: string) {
    const changed = all.filter(({ userId, id, access }) => access !== accessOf(userId, id));
    const before = changed.map(({ userId, id }) => ({ userId, id, access: accessOf(userId, id) }));
    if (changed.length > 0) put(changed, done, () => put(before, 'The access is as it was before.'));
  }

  const { query } = read;
  const isRead = query.data !== undefined && !query.hasNextPage;
  /** How many someone can open. */
  const countOf = (userId: string) => grants.filter((grant) => grant.userId === userId).length;
  return { query, isRead, accessOf, countOf, set };
}

export type Grants = ReturnType<typeof useGrants>;
