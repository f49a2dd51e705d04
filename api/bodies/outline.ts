/** No list of a schema has more entries. */
const MAX_ENTRIES = 2_000;
/** The depth of the fields of the entries of a list of the body. */
const MAX_DEPTH = 3;

/**
 * What is passed on of a large body that is refused: the checks that run before its refusal read fields of the entries of
 * its lists, and their texts. Without what makes an object costly to pass on: deeper values, which become null, and the
 * rest of long lists.
 */
export function outlineOf(body: unknown): unknown {
  return outline(body, 0);
}

function outline(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => outline(entry, depth + 1));
  const fields = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(fields.map(([name, field]) => [name, outline(field, depth + 1)]));
}
