/*
 * A place in a stored text, as one argument that an answer gives and the next call sends: the id of the record and what
 * locates the place in it.
 */

const SEPARATOR = ':';

export function formatPosition(id: string, ...parts: readonly (string | number)[]): string {
  return [id, ...parts].join(SEPARATOR);
}

/** The parts of a position, as they were formatted. */
export function splitPosition(given: string): string[] {
  return given.trim().split(SEPARATOR);
}

/** An offset in a text; null if it is not one. */
export function parseOffset(part: string): number | null {
  const offset = part === '' ? Number.NaN : Number(part);
  return Number.isSafeInteger(offset) && offset >= 0 ? offset : null;
}
