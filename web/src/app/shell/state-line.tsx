import { useLocation } from '@tanstack/react-router';
import { CircleAlert, CloudOff, type LucideIcon, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useRead } from '../data.ts';
import { JOBS } from '../pages.tsx';
import { Unreachable } from '../request.ts';
import { STATUS_EVERY_MS } from './counts.ts';

const HEALTH_EVERY_MS = 60_000;
/** The page loads first. */
const HEALTH_AFTER_MS = 5000;

/** One line above every page while something is wrong that the person did not do. It goes when that is over. */
export function StateLine({ hasTeam }: { hasTeam: boolean }) {
  const isOnJobs = useLocation().pathname === JOBS.path;
  const status = useRead('getStatus', [], { every: STATUS_EVERY_MS, enabled: hasTeam });
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLoaded(true), HEALTH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const health = useRead('getHealth', [], { every: HEALTH_EVERY_MS, enabled: isLoaded });
  const version = health.data && `${health.data.version} ${health.data.commit ?? ''}`;
  const [first, setFirst] = useState(version);
  if (first === undefined && version !== undefined) setFirst(version);
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
  if (first !== undefined && version !== undefined && version !== first)
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
