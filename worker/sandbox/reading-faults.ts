import { FileFault } from '../extract/extraction.ts';

/** The process ended while it read a file, or can no longer be trusted. Earlier files can be a part of the cause. */
export class EndedError extends FileFault {}

/** Faults of files whose process was ended. */
export const FAULTS = {
  time: (seconds: number) =>
    new FileFault(
      'too_slow',
      `Reading the file took longer than ${seconds} seconds, the most for a file of its size: divide it, or save it in a simpler form.`,
    ),
  memory: (megabytes: number) =>
    new EndedError(
      'too_much_memory',
      `Reading the file took more memory than there is for it (${megabytes} MiB): divide it, or save it in a simpler form.`,
    ),
  crash: () =>
    new EndedError(
      'unreadable',
      'The file cannot be read: it is damaged, or uses a part of its format that is not known here.',
    ),
};

/** The time limits for reading a file. */
export interface TimeBounds {
  /** The limit for any file. */
  seconds: number;
  /** The time for every file, even a small one. */
  baseSeconds?: number;
  /** The additional time for each MiB. */
  secondsPerMegabyte?: number;
}

const MIB = 1024 * 1024;
/**
 * On two cores shared by many processes, ordinary files took up to 13 seconds per MiB as PDF, 12 as DOCX and 10 as
 * HTML. Small files that are highly compressed need the most time for their size, so every file gets some seconds.
 */
const BASE_SECONDS = 15;
const SECONDS_PER_MEGABYTE = 20;

/** The time for a file of this many bytes, in seconds: small files cannot hold a process for long. */
export function secondsFor(
  bytes: number,
  { seconds, baseSeconds = BASE_SECONDS, secondsPerMegabyte = SECONDS_PER_MEGABYTE }: TimeBounds,
): number {
  return Math.min(seconds, Math.round(baseSeconds + (bytes / MIB) * secondsPerMegabyte));
}

/** The time limit is counted in steps of about this. */
const STEP_MS = 100;

/**
 * Calls `onOver` once this process has run for so many seconds. If the process or its machine is suspended, one
 * step at most is counted for that time, so a file is not at fault after a laptop slept.
 * @returns the timer: `clearInterval` ends it
 */
export function countDown(seconds: number, onOver: () => void): NodeJS.Timeout {
  const steps = Math.max(1, Math.round((seconds * 1000) / STEP_MS));
  let left = steps;
  const timer = setInterval(
    () => {
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      onOver();
    },
    (seconds * 1000) / steps,
  );
  return timer;
}
