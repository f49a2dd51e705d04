import { IsDate } from 'typebox/format';
import { lastTimeOf } from '../../shared/formats/times.ts';
import { CommandError } from './command-error.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of a duration such as `90`, `90s`, `15m`, `1h` or `1d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text.trim());
  if (match === null) return null;
  return Number(match[1]) * SECONDS[(match[2] || 's') as keyof typeof SECONDS];
}

const DATE_OR_TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,16}(?:Z|[+-]\d\d:\d\d))?$/;

/** The time of a date or a time in ISO 8601; not a number for anything else, and for a day that does not exist. */
function parseDateOrTime(given: string): number {
  return DATE_OR_TIME.test(given) && IsDate(day(given)) ? Date.parse(given) : Number.NaN;
}

/** Sends a date as it is: the service counts its first or its last moment. */
const toMoment = (given: string, time: number) =>
  given === day(given) ? given : new Date(time).toISOString();

/**
 * Parses a date, a time in ISO 8601, or how long ago, such as `7d`.
 * @returns a date, or a time in ISO 8601
 * @throws CommandError
 */
export function parseDateOrAge(option: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const isAbsolute = DATE_OR_TIME.test(given);
  const seconds = isAbsolute ? null : parseDuration(given);
  const time = isAbsolute ? parseDateOrTime(given) : Date.now() - (seconds ?? Number.NaN) * 1000;
  if (Number.isNaN(time)) {
    throw new CommandError(
      `--${option}: expected a date such as 2026-05-31, a time such as 2026-05-31T09:00:00Z, or how long ago, such as 7d`,
    );
  }
  return isAbsolute ? toMoment(given, time) : new Date(time).toISOString();
}

/**
 * Parses a time of an option: a date (its beginning in UTC), a time in ISO 8601, or how long ago, such as `7d`.
 * @returns the time in ISO 8601
 * @throws CommandError
 */
export function parseMoment(option: string, given: string | undefined): string | undefined {
  const moment = parseDateOrAge(option, given);
  return moment === undefined ? undefined : new Date(moment).toISOString();
}

/** The options of commands that filter sources by their date. `parseDateOrAge` parses their values. */
export const DATE_FILTERS = {
  since: {
    type: 'string',
    value: 'time',
    help:
      'only what happened then or later: a date (from its beginning in UTC), a time, or how long ago, such as 7d. Where it ' +
      'is unknown when it happened, the time when it was stored counts',
  },
  until: {
    type: 'string',
    value: 'time',
    help: 'only what happened then or earlier: a date (to its end in UTC), a time, or how long ago',
  },
} as const;

/** The option for when what is stored happened, of the commands that store something. */
export const OCCURRED_OPTION = {
  type: 'string',
  value: 'time',
  help: 'when it happened: a date such as 2026-05-31, or a time such as 2026-05-31T09:00:00Z',
} as const;

/** The option for when what is stored expires, of the commands that store something. */
export const EXPIRES_OPTION = {
  type: 'string',
  value: 'time',
  help: 'when it expires and is archived: a date (its end in UTC), or a time such as 2027-05-31T09:00:00Z',
} as const;

function parseDateOption(option: string, given: string): string {
  const time = parseDateOrTime(given);
  if (Number.isNaN(time)) {
    throw new CommandError(
      `--${option}: expected a date such as 2027-05-31, or a time such as 2027-05-31T09:00:00Z`,
    );
  }
  return toMoment(given, time);
}

/**
 * Parses the value of `OCCURRED_OPTION`.
 * @returns a date, or a time in ISO 8601
 * @throws CommandError
 */
export function parseOccurredOption(given: string | undefined): string | undefined {
  return given === undefined ? undefined : parseDateOption('occurred', given);
}

/**
 * Parses the value of `EXPIRES_OPTION`.
 * @returns a date, or a time in ISO 8601
 * @throws CommandError
 */
export function parseExpiryOption(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const moment = parseDateOption('expires', given);
  if (lastTimeOf(moment).getTime() <= Date.now()) throw new CommandError('--expires: must be in the future');
  return moment;
}

/** The day of a time, for a table. */
export function day(time: string): string {
  return time.slice(0, 10);
}

/** A time to the second, for a table: `2026-05-31 09:00:00`, in UTC. */
export function toSecond(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}
