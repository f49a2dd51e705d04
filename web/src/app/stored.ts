import { useState } from 'react';
import { ROOT } from './root.ts';
import { useSessionContext } from './session.tsx';

function read<One>(key: string): readonly One[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? (kept as One[]) : [];
  } catch {
    return [];
  }
}

/** A list that this browser keeps by person and Team, and a function that changes it, as it is then. */
export function useStored<One>(name: string) {
  const { session, team } = useSessionContext();
  const key = `${name}:${ROOT.pathname}:${session.user.id}:${team?.id ?? ''}`;
  const [, setVersion] = useState(0);
  const store = (change: (list: readonly One[]) => readonly One[]) => {
    localStorage.setItem(key, JSON.stringify(change(read(key))));
    setVersion((version) => version + 1);
  };
  return [read<One>(key), store] as const;
}

const MOST_SEARCHES = 10;

/** What this person searched for last in this Team, in this browser, and a function that adds a search. */
export function useRecentSearches() {
  const [recent, store] = useStored<string>('searches');
  const add = (query: string) => {
    try {
      store((list) => [query, ...list.filter((one) => one !== query)].slice(0, MOST_SEARCHES));
    } catch {
      // The browser has no room left, or keeps nothing: the search is made all the same.
    }
  };
  return [recent, add] as const;
}
