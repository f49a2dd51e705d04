import { withoutScope } from '../../db/database.ts';
import type { JobContext } from '../context.ts';

/** How often a run that has taken its time looks whether another Company waits. */
const LOOK_EVERY_MS = 500;

/**
 * Has a run give way: when it has taken the time that it may, and from then on as soon as another Company waits that has
 * no import running.
 */
export function givingWay(
  { database, queue, logger, giveWayAfterMs }: JobContext,
  companyId: string,
): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  if (giveWayAfterMs === null) return { signal, end: () => undefined };
  const look = async () => {
    try {
      const isAnotherWaiting = await withoutScope(database, (tx) =>
        queue.isAnotherWaiting(tx, 'import.process', companyId),
      );
      if (isAnotherWaiting) controller.abort();
    } catch (error) {
      logger.warn({ err: error }, 'whether another Company waits could not be read');
    }
  };
  let ended = false;
  let timer = setTimeout(async function again() {
    await look();
    if (!ended && !signal.aborted) timer = setTimeout(again, LOOK_EVERY_MS);
  }, giveWayAfterMs);
  return {
    signal,
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
