import type { Static, TObject, TProperties } from 'typebox';

/** The fields of a value that a schema has, so that they are named once. A field that the value lacks stays absent. */
export function pick<P extends TProperties>(properties: P, value: Static<TObject<P>>): Static<TObject<P>> {
  const fields = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(fields) as Static<TObject<P>>;
}
