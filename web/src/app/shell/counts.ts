import { useRead } from '../data.ts';
import { useSessionContext } from '../session.tsx';

/** How often the state of the Team is read. */
export const STATUS_EVERY_MS = 30_000;

/** What the navigation counts beside its pages, by their paths. */
export function useCounts(): Readonly<Record<string, number>> {
  const { team } = useSessionContext();
  const { data } = useRead('getStatus', [], { every: STATUS_EVERY_MS, enabled: team !== null });
  if (data === undefined) return {};
  return {
    '/sources': data.sources.active,
    '/review': team?.access === 'full' ? data.memories.review : 0,
    '/imports': data.imports.queued + data.imports.running,
  };
}
