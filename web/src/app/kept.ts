import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry of the history whose states this one has. */
    kept?: string | undefined;
    /** The entry before is the same page without what is open here: closing that goes back. */
    closesByBack?: boolean;
  }
}

const values = new Map<string, unknown>();

/** Forgets all of them: they have records in them, and the next person may not see these. */
export const forgetKept = () => values.clear();

/** A state that Back brings again: it belongs to the entry of the history that the page is shown for. */
export function useKept<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const entry = useRouterState({
    select: ({ location: { state, pathname } }) => state.kept ?? state.__TSR_key ?? pathname,
  });
  const key = `${entry} ${name}`;
  const [, setVersion] = useState(0);
  const set = (value: T) => {
    values.set(key, value);
    setVersion((version) => version + 1);
  };
  return [values.has(key) ? (values.get(key) as T) : initial, set];
}
