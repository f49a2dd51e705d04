import {
  getRouteApi,
  type HistoryState,
  type RegisteredRouter,
  type RouteIds,
  useNavigate,
} from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

type RouteId = RouteIds<RegisteredRouter['routeTree']>;

/**
 * The filters of a page, which are in its address, a function that changes some of them, and one that gives a field the
 * value of a filter and what changes it. A change takes the place of the present address, so that Back leads to the page
 * before.
 */
export function useFilters<const Id extends Exclude<RouteId, '__root__'>>(id: Id) {
  const api = getRouteApi(id);
  // The Team goes with each request by itself.
  const { team: _, ...filters } = api.useSearch();
  const navigate = useNavigate();
  type Filters = typeof filters;
  const change = (some: Partial<Filters>) =>
    navigate({
      to: '.',
      search: (now: object) => ({ ...now, ...some }),
      replace: true,
      resetScroll: false,
      // Sorting shows the same records, so what is chosen of them stays chosen.
      state: (now: HistoryState & { __TSR_key?: string }) =>
        Object.keys(some).every((name) => name === 'sort' || name === 'order')
          ? { kept: now.kept ?? now.__TSR_key }
          : {},
    } as never);
  const field = (name: string & keyof Filters) => ({
    value: filters[name],
    onChange: (value: string | undefined) => void change({ [name]: value } as Partial<Filters>),
  });
  return [filters, change, field] as const;
}

/** The value of a field, which is applied when it has not changed for 200 ms, and a function that applies it now. */
export function useDebounced(applied: string, apply: (value: string) => void, ms = 200) {
  const [typed, setTyped] = useState(applied);
  const [seen, setSeen] = useState(applied);
  const sent = useRef(applied);
  // The address changed. If it is not by what was typed here, it was Back, or a filter was cleared.
  if (applied !== seen) {
    setSeen(applied);
    if (applied !== sent.current) setTyped(applied);
    sent.current = applied;
  }
  const send = (by = apply) => {
    sent.current = typed;
    by(typed);
  };
  useEffect(() => {
    if (typed === applied) return;
    const timer = setTimeout(() => send(), ms);
    return () => clearTimeout(timer);
  });
  return [typed, setTyped, send] as const;
}

interface Option {
  value: string;
  name: string;
}

/** The options of a filter, with one for a value of the address that is none of them, such as someone who has left. */
export const withChosen = (options: readonly Option[], value: string | undefined, name = value ?? '') =>
  value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, name }];
