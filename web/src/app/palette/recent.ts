import { useStored } from '../stored.ts';

const MOST = 10;

/** What this person searched for last in this Team, in this browser, and a function that adds a search. */
export function useRecentSearches() {
  const [recent, store] = useStored<string>('searches');
  const add = (query: string) =>
    store((list) => [query, ...list.filter((one) => one !== query)].slice(0, MOST));
  return [recent, add] as const;
}
