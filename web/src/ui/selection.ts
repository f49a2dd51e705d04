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
  const put = (some: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of some) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  return {
    ids: chosen,
    toggle(id) {
      last.current = id;
      put([id], !chosen.has(id));
    },
    extend(id) {
      // The one that was chosen last can be gone from the list.
      const start = last.current !== null && ids.includes(last.current) ? last.current : id;
      const [from, to] = [ids.indexOf(start), ids.indexOf(id)].sort((a, b) => a - b);
      last.current = start;
      put(ids.slice(from, (to ?? 0) + 1), true);
    },
    setAll: (isChosen) => (isChosen ? put(ids, true) : setChosen(new Set())),
    clear: () => setChosen(new Set()),
    choose: (some) => setChosen(new Set(some)),
  };
}
