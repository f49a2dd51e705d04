import { useSyncExternalStore } from 'react';

/** Whether the window has room for a panel beside what it shows: at least so many rem. */
export function useIsWide(rem: number): boolean {
  const query = matchMedia(`(min-width: ${rem}rem)`);
  const listen = (changed: () => void) => {
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  };
  return useSyncExternalStore(listen, () => query.matches);
}
