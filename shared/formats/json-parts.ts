import { createHash } from 'node:crypto';
import { giveWayBetweenSteps, slicesOf } from '../resources/give-way.ts';

/** How the fields of objects are ordered: as they came, or always alike. */
export type FieldOrder = 'given' | 'canonical';

/** Numbers of a list that become text at once: all of a vector's. */
const NUMBERS_A_PART = 1_024;
/** Parts are hashed when they come to about so many code units. */
const HASHED_LENGTH = 64 * 1024;

/**
 * A JSON value as text in parts: together they are what `JSON.stringify` makes of it, or with fields in canonical order
 * the same text for the same value, in whatever order its fields came. No part takes long, however large the value. Recursive: for values whose nesting was bounded before.
 */
export function* jsonParts(value: unknown, order: FieldOrder = 'given'): Generator<string> {
  if (typeof value === 'string') yield* textParts(value);
  else if (typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null';
  else if (Array.isArray(value)) yield* listParts(value, order);
  else yield* objectParts(value as Record<string, unknown>, order);
}

function* textParts(text: string): Generator<string> {
  yield '"';
  for (const slice of slicesOf(text)) yield JSON.stringify(slice).slice(1, -1);
  yield '"';
}

function* listParts(list: readonly unknown[], order: FieldOrder): Generator<string> {
  yield '[';
  for (let index = 0; index < list.length; ) {
    if (index > 0) yield ',';
    const numbers = countNumbers(list, index);
    if (numbers > 0) yield JSON.stringify(list.slice(index, index + numbers)).slice(1, -1);
    else yield* jsonParts(list[index], order);
    index += Math.max(1, numbers);
  }
  yield ']';
}

function countNumbers(list: readonly unknown[], from: number): number {
  let count = 0;
  while (count < NUMBERS_A_PART && typeof list[from + count] === 'number') count += 1;
  return count;
}

function* objectParts(given: Record<string, unknown>, order: FieldOrder): Generator<string> {
  const object = order === 'given' ? given : withSortedFields(given);
  let first = true;
  yield '{';
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${first ? '' : ','}${JSON.stringify(key)}:`;
    yield* jsonParts(value, order);
    first = false;
  }
  yield '}';
}

/** The same fields, sorted by name. */
function withSortedFields(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The SHA-256 of a JSON value as text: see `jsonParts`. The event loop turns in between. */
export async function jsonHash(value: unknown, order: FieldOrder): Promise<Buffer> {
  const hash = createHash('sha256');
  const giveWay = giveWayBetweenSteps();
  let text = '';
  for (const part of jsonParts(value, order)) {
    text += part;
    if (text.length < HASHED_LENGTH) continue;
    hash.update(text, 'utf8');
    text = '';
    await giveWay();
  }
  return hash.update(text, 'utf8').digest();
}
