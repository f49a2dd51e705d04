import { IsDate, IsDateTime } from 'typebox/format';
import { invalidField } from '../errors.ts';

export const DAY_MS = 86_400_000;
/** The first and the last time that a request can have. */
const [EARLIEST, LATEST] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Parses a time of a request. The schema has already checked its form.
 * @throws ServiceError `invalid_request` for a leap second, or a time outside the years 1 to 9999
 */
export function parseTime(text: string | undefined, path: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!(time.getTime() >= EARLIEST && time.getTime() <= LATEST))
    throw invalidField(path, 'must be a time in the years 1 to 9999');
  return time;
}

/** A day in UTC, `YYYY-MM-DD`, or a time in UTC with milliseconds and `Z`. */
export type Moment = string;

/**
 * Parses a day, or a time with its zone.
 * @throws ServiceError `invalid_request`
 */
export function parseMoment(given: string, path: string): Moment {
  const text = given.trim();
  const isWholeDay = IsDate(text);
  const at = isWholeDay || IsDateTime(text) ? Date.parse(text) : Number.NaN;
  // Not a number either for a leap second.
  if (Number.isNaN(at)) {
    throw invalidField(
      path,
      'must be a day such as 2026-03-01, or a time with its zone such as 2026-03-01T09:30:00Z',
    );
  }
  if (at < EARLIEST || at > LATEST) throw invalidField(path, 'must be in the years 1 to 9999');
  return isWholeDay ? text : new Date(at).toISOString();
}

/**
 * Parses a moment that can be absent or null.
 * @throws ServiceError `invalid_request`
 */
export function parseOptionalMoment(
  given: string | null | undefined,
  path: string,
): Moment | null | undefined {
  return given === undefined || given === null ? given : parseMoment(given, path);
}

/** The day in UTC that a moment is in, `YYYY-MM-DD`. */
export function dayOfMoment(moment: Moment): string {
  return moment.slice(0, 'YYYY-MM-DD'.length);
}

/** The first time that is in a moment. */
export function firstTimeOf(moment: Moment): Date {
  return new Date(moment);
}

/** The last time that is in a moment, in milliseconds. */
export function lastTimeOf(moment: Moment): Date {
  const first = Date.parse(moment);
  return new Date(moment === dayOfMoment(moment) ? first + DAY_MS - 1 : first);
}

/**
 * Parses when a record is to expire; a day counts to its last moment. Whether that is in the future is checked by
 * `assertFuture`, because a request that is repeated for its Idempotency-Key can come after it.
 * @returns undefined if it is not given; null if the record never expires
 * @throws ServiceError `invalid_request`
 */
export function parseExpiry(text: string | null | undefined, path: string): Date | null | undefined {
  return text === undefined || text === null ? text : lastTimeOf(parseMoment(text, path));
}

/**
 * Refuses an expiry that is not in the future.
 * @throws ServiceError `invalid_request`
 */
export function assertFuture(expiresAt: Date | null | undefined, path = '/expiresAt'): void {
  if (expiresAt != null && expiresAt.getTime() <= Date.now()) {
    throw invalidField(path, 'must be a time in the future');
  }
}

/** Whether an expiry has come, by the clock of this process. */
export function isPast(expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

/** Bounds of the date of a source, inclusive. Null: no bound. */
export interface OccurredBounds {
  occurredAfter: Date | null;
  occurredBefore: Date | null;
}

/**
 * Parses the filters of a request by date. A day counts from its first moment to its last.
 * @throws ServiceError `invalid_request`
 */
export function parseOccurredBounds(given: {
  occurredAfter?: string;
  occurredBefore?: string;
}): OccurredBounds {
  const { occurredAfter: after, occurredBefore: before } = given;
  return {
    occurredAfter: after === undefined ? null : firstTimeOf(parseMoment(after, '/occurredAfter')),
    occurredBefore: before === undefined ? null : lastTimeOf(parseMoment(before, '/occurredBefore')),
  };
}

/** A time to wait, in words, and never too short: `90 s`, `15 min`, `30 h`. */
export function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
