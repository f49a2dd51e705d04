import { v7 } from 'uuid';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A new UUIDv7: unique, and ascending in time, so that rows made together lie together in an index. */
export function newId(): string {
  return v7();
}

/** Whether a text has the form of a UUID, and so may be compared with a uuid column without an error. */
export function isId(value: string): boolean {
  return UUID.test(value);
}
