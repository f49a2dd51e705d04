import { CommandError } from './command-error.ts';
import { parseDuration } from './duration.ts';

const DATE_OR_TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,16}(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses a time of an option: a date (its beginning in UTC), a time in ISO 8601, or how long ago, such as `7d`.
 * @returns the time in ISO 8601
 * @throws CommandError
 */
export function parseMoment(option: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const isAbsolute = DATE_OR_TIME.test(given);
  const seconds = isAbsolute ? null : parseDuration(given);
  const time = isAbsolute ? Date.parse(given) : Date.now() - (seconds ?? Number.NaN) * 1000;
  if (Number.isNaN(time)) {
    throw new CommandError(
      `--${option}: expected a date such as 2026-05-31, a time such as 2026-05-31T09:00:00Z, or how long ago, such as 7d`,
    );
  }
  return new Date(time).toISOString();
}

/** The option for when what is stored expires, of the commands that store something. */
export const EXPIRES_OPTION = {
  type: 'string',
  value: 'time',
  help: 'when it expires and is archived: a date (its beginning in UTC), or a time such as 2027-05-31T09:00:00Z',
} as const;

/**
 * Parses the value of `EXPIRES_OPTION`.
 * @returns the time in ISO 8601
 * @throws CommandError
 */
export function parseExpiryOption(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const time = DATE_OR_TIME.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new CommandError(
      '--expires: expected a date such as 2027-05-31, or a time such as 2027-05-31T09:00:00Z',
    );
  }
  if (time <= Date.now()) throw new CommandError('--expires: must be in the future');
  return new Date(time).toISOString();
}

/** The day of a time, for a table. */
export function day(time: string): string {
  return time.slice(0, 10);
}

/** A time to the second, for a table: `2026-05-31 09:00:00`, in UTC. */
export function toSecond(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}
