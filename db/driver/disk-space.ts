import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../shared/logger.ts';

/** How long a look at the disk counts: it costs some microseconds, and statements come by the thousand. */
const LOOK_MS = 50;
/** How often those that wait for space look again. */
const WAIT_MS = 500;

const MIB = 1024 * 1024;

/** Bytes that are free for this user on the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Tells when the disk of the embedded database is almost full, so that nothing is written to it then. */
export interface DiskSpace {
  /** From now on the disk counts as almost full while less than this is free. Before, it never does. */
  readonly keepFree: (megabytes: number, logger: Logger) => void;
  readonly isLow: () => boolean;
  /**
   * Waits until there is space.
   * @throws Error once `stopWaiting` was called
   */
  readonly untilEnough: () => Promise<void>;
  /** Ends every wait, for good: the work that waits is no longer needed. */
  readonly stopWaiting: () => void;
}

/** @param freeBytes how much is free now; null for a database that is on no disk */
export function watchDiskSpace(freeBytes: (() => number) | null): DiskSpace {
  let least = 0;
  let log: Logger | null = null;
  let [low, lookedAt] = [false, Number.NEGATIVE_INFINITY];
  const stopped = new AbortController();

  const isLow = () => {
    if (freeBytes === null || least === 0 || performance.now() - lookedAt < LOOK_MS) return low;
    const free = freeBytes();
    lookedAt = performance.now();
    if (free < least !== low) {
      low = !low;
      const figures = { freeMegabytes: Math.floor(free / MIB), neededMegabytes: least / MIB };
      if (low)
        log?.error(figures, 'the disk is almost full: changes and searches are refused until there is space');
      else log?.info(figures, 'there is space on the disk again: changes and searches are accepted');
    }
    return low;
  };

  return {
    keepFree: (megabytes, logger) => {
      least = megabytes * MIB;
      log = logger;
    },
    isLow,
    untilEnough: async () => {
      while (isLow()) {
        if (stopped.signal.aborted) throw new Error('the disk is almost full');
        await sleep(WAIT_MS, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);
      }
    },
    stopWaiting: () => stopped.abort(),
  };
}
