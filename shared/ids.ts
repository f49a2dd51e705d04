import { v7 } from 'uuid';
import { ServiceError } from './errors.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A new UUIDv7. It is unique and ascends with time, so rows that are inserted together are close in an index. */
export function newId(): string {
  return v7();
}

/** The lowest UUIDv7 of a time, given in milliseconds. A time before 1970 counts as 1970. */
export function firstIdOf(ms: number): string {
  const digits = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}

/** Whether a text has the form of a UUID, so that comparing it with a uuid column does not fail. */
export function isId(value: string): boolean {
  return UUID.test(value);
}

/**
 * An id of a path or body, in lower case, which may be compared with a uuid column.
 * @throws ServiceError `not_found` for one that cannot be of anything: the same answer as for one that is unknown
 */
export function parseId(id: string): string {
  if (!isId(id)) throw new ServiceError('not_found');
  return id.toLowerCase();
}
