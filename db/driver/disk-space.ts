import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../shared/logger.ts';

/** How long the result of a disk check is reused. A check takes some microseconds, and there can be many statements. */
const CHECK_CACHE_MS = 50;
/** How often a wait for space checks the disk. */
const POLL_INTERVAL_MS = 500;

const MIB = 1024 * 1024;

/** Returns how many bytes this user can still write to the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Watches the disk of the embedded database. Nothing must be written while the disk is almost full. */
export interface DiskSpace {
  /** From now on the disk counts as almost full while less than this is free. Before this call it never does. */
  readonly setMinFree: (megabytes: number, logger: Logger) => void;
  readonly isLow: () => boolean;
  /** How many bytes are free now. Null for a database in memory. */
  readonly freeBytes: () => number | null;
  /**
   * Waits until the disk is no longer almost full.
   * @throws Error if `stopWaiting` was called
   */
  readonly waitForSpace: () => Promise<void>;
  /** Ends all waits, now and later, because the service stops. */
  readonly stopWaiting: () => void;
}

/** @param freeBytes returns how many bytes are free; null for a database in memory */
export function watchDiskSpace(freeBytes: (() => number) | null): DiskSpace {
  let minBytes = 0;
  let log: Logger | null = null;
  let [low, checkedAt] = [false, Number.NEGATIVE_INFINITY];
  const stopped = new AbortController();

  const isLow = () => {
    if (freeBytes === null || minBytes === 0 || performance.now() - checkedAt < CHECK_CACHE_MS) return low;
    const free = freeBytes();
    checkedAt = performance.now();
    if (free < minBytes !== low) {
      low = !low;
      const figures = { freeMegabytes: Math.floor(free / MIB), neededMegabytes: minBytes / MIB };
      if (low)
        log?.error(figures, 'the disk is almost full: changes and searches are refused until there is space');
      else log?.info(figures, 'there is space on the disk again: changes and searches are accepted');
    }
    return low;
  };

  return {
    setMinFree: (megabytes, logger) => {
      minBytes = megabytes * MIB;
      log = logger;
    },
    isLow,
    freeBytes: () => freeBytes?.() ?? null,
    waitForSpace: async () => {
      while (isLow()) {
        if (stopped.signal.aborted) throw new Error('the disk is almost full');
        await sleep(POLL_INTERVAL_MS, undefined, { ref: false, signal: stopped.signal }).catch(
          () => undefined,
        );
      }
    },
    stopWaiting: () => stopped.abort(),
  };
}
