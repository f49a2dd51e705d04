import { useLocation } from '@tanstack/react-router';
import { CircleAlert, CloudOff, type LucideIcon, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useRead } from '../data.ts';
import { JOBS } from '../pages.tsx';
import { Unreachable } from '../request.ts';
import { useSessionContext } from '../session.tsx';

const HEALTH_EVERY_MS = 60_000;
/** The page loads first. */
const HEALTH_AFTER_MS = 5000;

/** The state of the Team, if there is one. */
function useStatus() {
  const { team } = useSessionContext();
  return useRead('getStatus', [], { every: 30_000, enabled: team !== null });
}

/** What the navigation counts beside its pages, by their paths. */
export function useCounts(): Readonly<Record<string, number>> {
  const { team } = useSessionContext();
  const { data } = useStatus();
  if (data === undefined) return {};
  return {
    '/sources': data.sources.active,
    '/review': team?.access === 'full' ? data.memories.review : 0,
    '/imports': data.imports.queued + data.imports.running,
  };
}

/** The first version that this tab has read: its scripts are of that one, whoever is signed in. */
let loaded: string | undefined;

/** One line above every page while something is wrong that the person did not do. It goes when that is over. */
export function StateLine() {
  const isOnJobs = useLocation().pathname === JOBS.path;
  const status = useStatus();
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), HEALTH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const health = useRead('getHealth', [], { every: HEALTH_EVERY_MS, enabled: isLoaded });
  const version = health.data && `${health.data.version} ${health.data.commit ?? ''}`;
  loaded ??= version;
  const line = (Icon: LucideIcon, text: ReactNode) => (
    <div role="status" className="flex items-center gap-2 bg-warn-tint px-4 py-2 text-warn md:px-8">
      <Icon aria-hidden size={16} className="shrink-0" />
      {text}
    </div>
  );
  if (status.failureReason instanceof Unreachable || health.failureReason instanceof Unreachable)
    return line(
      CloudOff,
      'The service cannot be reached. What you see is kept, and is brought up to date when it answers again.',
    );
  if (version !== loaded)
    return line(
      RefreshCw,
      <>
        The service was updated.
        <Button onClick={() => location.reload()}>Load the new console</Button>
      </>,
    );
  // The page of jobs says so itself, with what waits.
  if (status.data?.health.worker === false && !isOnJobs)
    return line(CircleAlert, 'No worker is running: imports and other jobs wait until one is started.');
  return null;
}
