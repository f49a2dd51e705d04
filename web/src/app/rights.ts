import { useEffect, useRef } from 'react';
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
  const { items, isRead } = useAll('listClients', {});
  const clients: readonly Client[] = items;
  const isFull = team?.access === 'full';
  /** False: a client that is not read yet can be one in which the person can write. */
  const isKnown = isFull || isRead;
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
  return { session, isFull, isKnown, clients, canWrite, rightsOn, nameOf };
}

/**
 * Whether the editor is open that the address asks for. One that is open stays while the Team can be read, even if the right to
 * write ends: what was typed is not lost. One that cannot open is taken out of the address, so that it does not open by surprise later.
 * @param wanted names what is edited; undefined: no editor is asked for
 * @param canOpen undefined: not known yet
 * @param forget takes it out of the address
 */
export function useEditor(wanted: string | undefined, canOpen: boolean | undefined, forget: () => void) {
  const { isKnown } = useRights();
  const open = useRef<string>(undefined);
  const isOpen = wanted !== undefined && (open.current === wanted || canOpen === true);
  open.current = isOpen ? wanted : undefined;
  const isRefused = wanted !== undefined && !isOpen && canOpen === false && isKnown;
  useEffect(() => {
    if (isRefused) forget();
  }, [isRefused, wanted]);
  return isOpen;
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
