import { isId } from '../../shared/ids.ts';

/** An id that nothing has: what is asked for by a malformed id is not there. */
const NOTHING = '00000000-0000-0000-0000-000000000000';

/** The id that a list is narrowed to: null where none is asked for, and nothing's own for a malformed one. */
export function idOrNothing(id: string | undefined): string | null {
  if (id === undefined) return null;
  return isId(id) ? id : NOTHING;
}

/** The text that a list is narrowed to: null where none is asked for, or a blank one, as forms send it. */
export function soughtText(q: string | undefined): string | null {
  const text = q?.trim() ?? '';
  return text === '' ? null : text;
}
