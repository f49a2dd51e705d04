import { isId } from '../../shared/ids.ts';

/** An id that no record has. It replaces a malformed id, so that the list is empty. */
const NOTHING = '00000000-0000-0000-0000-000000000000';

/** The id to filter a list by: null without a filter; for a malformed id, one that no record has. */
export function idOrNothing(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isId(id) ? id : NOTHING;
}

/** The text to filter a list by; null if it is absent, or blank as forms send it. */
export function soughtText(q: string | undefined): string | null {
  const text = q?.trim() ?? '';
  return text === '' ? null : text;
}
