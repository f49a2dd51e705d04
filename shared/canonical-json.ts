import { withSortedFields } from './json-parts.ts';

/**
 * A JSON value as a text that is the same whatever order its fields came in: to know a repeated request again.
 * Recursive: for values whose nesting was bounded before.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return withSortedFields(part);
  });
}
