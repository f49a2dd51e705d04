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
