import { invalidField } from '../errors.ts';

/**
 * Parses a time of a request. The schema has already checked its form.
 * @throws ServiceError `invalid_request` for a leap second, or a time outside the years 1 to 9999
 */
export function parseTime(text: string | undefined, path: string): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (Number.isNaN(year) || year < 1 || year > 9999)
    throw invalidField(path, 'must be a time in the years 1 to 9999');
  return time;
}

/**
 * Parses when a record is to expire. Whether the time is in the future is checked by `assertFuture`, because a request
 * that is repeated for its Idempotency-Key can come after it.
 * @returns undefined if it is not given; null if the record never expires
 * @throws ServiceError `invalid_request`
 */
export function parseExpiry(text: string | null | undefined, path: string): Date | null | undefined {
  return text === undefined || text === null ? text : parseTime(text, path);
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
