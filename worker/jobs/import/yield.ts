import { withoutScope } from '../../../db/driver/database.ts';
import type { JobContext } from '../../context.ts';

/** The interval at which a long run checks whether another Company waits. */
const CHECK_INTERVAL_MS = 500;

/** Decides when a run must let the import of another Company run. */
export interface ImportYield {
  /** Aborts when the run must stop for another Company. */
  readonly signal: AbortSignal;
  /** To be called when reading the file begins: the time for starting a process does not count. */
  readonly begin: () => void;
  /** To be called at the end of the run. */
  readonly end: () => void;
}

/**
 * Lets a run yield to another Company: after its file has been read for `yieldAfterMs`, the run must stop as soon
 * as a Company without a running import waits.
 */
export function watchForOthers(
  { database, queue, logger, yieldAfterMs }: JobContext,
  companyId: string,
): ImportYield {
  const controller = new AbortController();
  const { signal } = controller;
  if (yieldAfterMs === null) return { signal, begin: () => undefined, end: () => undefined };
  const check = async () => {
    try {
      const isAnotherWaiting = await withoutScope(database, (tx) =>
        queue.isAnotherWaiting(tx, 'import.process', companyId),
      );
      if (isAnotherWaiting) controller.abort();
    } catch (error) {
      logger.warn({ err: error }, 'cannot check whether another Company waits');
    }
  };
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  // If a process ends, its file is read again from the start. Only the last beginning counts.
  let beginnings = 0;
  const checkAgain = async (beginning: number) => {
    await check();
    if (ended || signal.aborted || beginning !== beginnings) return;
    timer = setTimeout(checkAgain, CHECK_INTERVAL_MS, beginning);
  };
  return {
    signal,
    begin: () => {
      beginnings += 1;
      clearTimeout(timer);
      timer = setTimeout(checkAgain, yieldAfterMs, beginnings);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
