import type { Attributes } from '../xml.ts';

/** The levels of a list have the numbers 0 to 8. */
export const MAX_LEVEL = 8;

/** The value of an attribute, whatever prefix the file gives to its namespace. */
export function valueOf(attributes: Attributes, name: string): string | undefined {
  const usual = attributes[`w:${name}`];
  if (usual !== undefined) return usual;
  const key = Object.keys(attributes).find((each) => each === name || each.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/** The value of a property that is on or off. It is on if its element has no value (ISO/IEC 29500-1, 17.17.4). */
export function isOn(attributes: Attributes): boolean {
  const value = valueOf(attributes, 'val');
  return value === undefined || !['0', 'false', 'off', 'none'].includes(value);
}

/** A whole number within bounds; null if the text is none. */
export function countOf(text: string | undefined, least: number, most: number): number | null {
  const number = Number(text ?? Number.NaN);
  return Number.isFinite(number) ? Math.min(Math.max(Math.trunc(number), least), most) : null;
}
