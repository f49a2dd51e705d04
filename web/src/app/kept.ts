import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';

const values = new Map<string, unknown>();

/** A state that Back brings again: it belongs to the entry of the history that the page is shown for. */
export function useKept<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? location.pathname });
  const key = `${entry} ${name}`;
  const [, setVersion] = useState(0);
  const set = (value: T) => {
    values.set(key, value);
    setVersion((version) => version + 1);
  };
  return [values.has(key) ? (values.get(key) as T) : initial, set];
}
