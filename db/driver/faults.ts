import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../shared/logger.ts';

/** SQLSTATE classes of errors that a value of the request causes: 22 data exception, 54 limit exceeded. */
const BAD_VALUE = /^(22|54)/;
/**
 * Connection lost (08), too many connections or out of memory (53), shutting down (57P), statement timeout (57014),
 * lock timeout (55P03), serialization failure (40001), deadlock (40P01), read-only transaction (25006). Also 23503: a
 * record that the request refers to was deleted at the same time, and a repeated request gets a 404.
 */
const UNAVAILABLE = /^(08|53|57P|57014|55P03|40001|40P01|23503|25006)/;
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** No space on the disk. */
const DISK_FULL = '53100';

/** Messages of node-postgres for time-outs and lost connections. These errors have no code. */
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|has encountered a connection error/;

/**
 * Whether a statement must be prepared again, on another connection: a migration has changed a column that it returns.
 * PostgreSQL translates the message, and has other errors with this code, so the function that reports it tells.
 */
export function isStaleStatement(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** A change in a transaction that only reads, which every transaction does on a replica. */
const READ_ONLY = '25006';

/** Whether a change was refused because its transaction only reads, for example because its server is a replica. */
export function isChangeRefused(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

/** Whether a statement was refused because another row has the same key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}

const NO_ANSWER = /timeout exceeded when trying to connect|Query read timeout/;

/** Whether the database did not answer in time. A second attempt can take as long. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof Error && NO_ANSWER.test(error.message);
}

/** Classifies an error of the database for the caller. Null: a fault of the service. */
export function databaseFault(error: unknown): 'bad_value' | 'disk_full' | 'unavailable' | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (BAD_VALUE.test(code)) return 'bad_value';
    if (code === DISK_FULL) return 'disk_full';
    if (UNAVAILABLE.test(code) || SOCKET.has(code)) return 'unavailable';
  }
  return CONNECTION_LOST.test(error.message) || isStaleStatement(error) ? 'unavailable' : null;
}

/** Why the primary has answered a read that a replica can answer. */
export const UNREAD_REASONS = [
  /** It lags too long, or does not have a change of the caller yet. */
  'behind',
  /** What the read asks for is not on it. */
  'missing',
  /** Its connections are all in use. */
  'busy',
  /** It has not answered in time. */
  'no_answer',
  /** It must replay something that the read prevents. */
  'conflict',
  /** It has another schema or other rights. */
  'cannot_run',
  /** It cannot be reached. */
  'gone',
  /** It is no replica, or one of another primary. */
  'wrong_server',
  /** It is not known yet what it must have. */
  'not_compared',
] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];

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
