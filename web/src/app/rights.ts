import type { Client } from '../../../shared/schemas/clients.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import { useAll } from './data.ts';
import { useSessionContext } from './session.tsx';

/** What is the same of a source in the list and of the one that is open. */
type SourceFacts = Omit<Source, 'chunks'>;

export const isExpired = ({ expiresAt }: Pick<Source, 'expiresAt'>) =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** The clients that the person can reach, and what the person can do in the Team. */
export function useRights() {
  const { session, team } = useSessionContext();
  const clients: readonly Client[] = useAll('listClients', {}).items;
  const isFull = team?.access === 'full';
  /** @param clientId null: the Team layer */
  function canWrite(clientId: string | null): boolean {
    if (team?.state !== 'active' || team.access === 'read') return false;
    if (isFull || clientId === null) return true;
    return clients.some(({ id, access }) => id === clientId && access === 'write');
  }
  function rightsOn(source: SourceFacts) {
    const { kind, state, clientId, createdBy } = source;
    const changes = kind !== 'memory' && (isFull || createdBy === session.user.id) && canWrite(clientId);
    const isOwn = changes && kind !== 'file';
    return {
      tags: changes && state === 'active',
      /** Its title, its text, its expiry and its layer, and to archive it. */
      change: isOwn && state === 'active',
      restore: isOwn && state === 'archived' && !isExpired(source),
      purge: isOwn && isFull,
    };
  }
  const nameOf = (clientId: string | null) =>
    clientId === null ? 'Team' : (clients.find(({ id }) => id === clientId)?.name ?? '…');
  return { session, isFull, clients, canWrite, rightsOn, nameOf };
}

/** The layers that the person can write in, as options; the value of the Team layer is empty. */
export function layerOptions({ clients, canWrite }: ReturnType<typeof useRights>) {
  const all = [
    { value: '', name: 'Team: everyone in it can read it' },
    ...clients.map(({ id, name }) => ({ value: id, name })),
  ];
  return all.filter(({ value }) => canWrite(value || null));
}

/** A time as a field of the kind `datetime-local` has it: of the clock of the person, to the minute. */
export function fieldTime(at: number | string | null): string {
  if (at === null) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
