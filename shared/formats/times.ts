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
