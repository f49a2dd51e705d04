/** How long a file can take. */
export interface TimeBounds {
  /** The most that any file gets. */
  seconds: number;
  /** What every file gets, however small. */
  baseSeconds?: number;
  /** What it gets for each MiB besides. */
  secondsPerMegabyte?: number;
}

const MIB = 1024 * 1024;
/**
 * On two cores that many processes shared, honest files took up to 13 seconds per MiB as PDF, 12 as DOCX and 10 as
 * HTML. Small files that unpack to much need the most for their size, so every file gets some seconds.
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
