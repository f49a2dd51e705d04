import { withoutScope } from '../../db/driver/database.ts';
import type { JobContext } from '../context.ts';

/** How often a run that has taken its time looks whether another Company waits. */
const LOOK_EVERY_MS = 500;

/** A run that gives way to others. */
export interface GivingWay {
  /** Aborts when the run must give way. */
  readonly signal: AbortSignal;
  /** Tells that its file is being read from now on. The time for starting a process does not count as the file's. */
  readonly begin: () => void;
  /** Tells that the run is over. */
  readonly end: () => void;
}

/**
 * Has a run give way once its file has been read for a while, from then on as soon as another Company waits that has
 * no import running.
 */
export function givingWay(
  { database, queue, logger, giveWayAfterMs }: JobContext,
  companyId: string,
): GivingWay {
  const controller = new AbortController();
  const { signal } = controller;
  if (giveWayAfterMs === null) return { signal, begin: () => undefined, end: () => undefined };
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
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // A file that ends its process is begun again: only the last beginning counts.
  let beginnings = 0;
  const lookAgain = async (beginning: number) => {
    await look();
    if (ended || signal.aborted || beginning !== beginnings) return;
    timer = setTimeout(lookAgain, LOOK_EVERY_MS, beginning);
  };
  return {
    signal,
    begin: () => {
      beginnings += 1;
      clearTimeout(timer);
      timer = setTimeout(lookAgain, giveWayAfterMs, beginnings);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
