import { useRef } from 'react';
import type { List } from '../app/data.ts';
import { useKept } from '../app/kept.ts';
import type { Selection } from './list.tsx';

/**
 * Which records of a list are chosen, in the order in which they were chosen. Back brings the choice again, and the list sorted
 * in another way has the same choice, also of records that are not loaded again yet.
 */
export function useSelection<One extends { id: string }>({
  items,
  isRead,
}: List<One>): Selection & {
  chosen: readonly One[];
  clear: () => void;
  choose: (records: readonly One[]) => void;
} {
  const [known, setKnown] = useKept<readonly One[]>('selection', []);
  const last = useRef<string | null>(null);
  const loaded = new Map(items.map((one) => [one.id, one]));
  // What a list does not have that was read to its end is gone.
  const chosen = known.flatMap((one) => loaded.get(one.id) ?? (isRead ? [] : one));
  const ids = new Set(chosen.map(({ id }) => id));
  const add = (some: readonly One[]) => setKnown([...chosen, ...some.filter(({ id }) => !ids.has(id))]);
  const clear = () => setKnown([]);
  return {
    ids,
    chosen,
    toggle(id) {
      last.current = id;
      if (ids.has(id)) setKnown(chosen.filter((one) => one.id !== id));
      else add(items.filter((one) => one.id === id));
    },
    extend(id) {
      const places = items.map((one) => one.id);
      // The one that was chosen last can be gone from the list.
      const start = last.current !== null && loaded.has(last.current) ? last.current : id;
      const [from, to] = [places.indexOf(start), places.indexOf(id)].sort((a, b) => a - b);
      last.current = start;
      add(items.slice(from, (to ?? 0) + 1));
    },
    setAll: (isChosen) => (isChosen ? add(items) : clear()),
    clear,
    choose: setKnown,
  };
}
