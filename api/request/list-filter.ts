import { isId } from '../../shared/ids.ts';

/** An id that no record has. It replaces a malformed id, so that the list is empty. */
const NO_RECORD_ID = '00000000-0000-0000-0000-000000000000';

/** The id to filter a list by: null without a filter; for a malformed id, one that no record has. */
export function parseIdFilter(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isId(id) ? id : NO_RECORD_ID;
}

/** The text to filter a list by; null if it is absent, or blank as forms send it. */
export function parseTextFilter(q: string | undefined): string | null {
  const text = q?.trim() ?? '';
  return text === '' ? null : text;
}
