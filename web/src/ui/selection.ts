import { useRef } from 'react';
import { useKept } from '../app/kept.ts';
import type { Selection } from './list.tsx';

/** Which records of a list are chosen. Back brings the choice again. */
export function useSelection(ids: readonly string[]): Selection & {
  clear: () => void;
  choose: (ids: readonly string[]) => void;
} {
  const [chosen, setChosen] = useKept<ReadonlySet<string>>('selection', new Set());
  const last = useRef<string | null>(null);
  const add = (some: readonly string[]) => setChosen(chosen.union(new Set(some)));
  const choose = (some: readonly string[]) => setChosen(new Set(some));
  const clear = () => choose([]);
  return {
    ids: chosen,
    toggle(id) {
      last.current = id;
      setChosen(chosen.symmetricDifference(new Set([id])));
    },
    extend(id) {
      // The one that was chosen last can be gone from the list.
      const start = last.current !== null && ids.includes(last.current) ? last.current : id;
      const [from, to] = [ids.indexOf(start), ids.indexOf(id)].sort((a, b) => a - b);
      last.current = start;
      add(ids.slice(from, (to ?? 0) + 1));
    },
    setAll: (isChosen) => (isChosen ? add(ids) : clear()),
    clear,
    choose,
  };
}
