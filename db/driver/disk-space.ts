import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../shared/logger.ts';

/** How long the result of a disk check is reused. A check takes some microseconds, and there can be many statements. */
const LOOK_MS = 50;
/** How often a wait for space checks the disk. */
const WAIT_MS = 500;

const MIB = 1024 * 1024;

/** Returns how many bytes this user can still write to the disk of a folder. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Watches the disk of the embedded database. Nothing must be written while the disk is almost full. */
export interface DiskSpace {
  /** From now on the disk counts as almost full while less than this is free. Before this call it never does. */
  readonly keepFree: (megabytes: number, logger: Logger) => void;
  readonly isLow: () => boolean;
  /**
   * Waits until the disk is no longer almost full.
   * @throws Error if `stopWaiting` was called
   */
  readonly untilEnough: () => Promise<void>;
  /** Ends all waits, now and later, because the service stops. */
  readonly stopWaiting: () => void;
}

/** @param freeBytes returns how many bytes are free; null for a database in memory */
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
