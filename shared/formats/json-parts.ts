import { createHash } from 'node:crypto';
import { slicesOf, yieldBetweenSteps } from '../resources/async.ts';

/** The order of the fields of objects: as given, or sorted by name. */
export type FieldOrder = 'given' | 'canonical';

/** Numbers of a list that are serialized together: a whole vector. */
const NUMBERS_PER_PART = 1_024;
/** Parts are collected to about this many code units before they are hashed. */
const HASHED_LENGTH = 64 * 1024;

/**
 * Serializes a JSON value in parts. Together they are the text of `JSON.stringify`; in canonical order, equal values
 * have the same text whatever the order of their fields. No part takes long, however large the value. Recursive: the
 * caller must limit the nesting of the value first.
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
  while (count < NUMBERS_PER_PART && typeof list[from + count] === 'number') count += 1;
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

/** The SHA-256 of the text that `jsonParts` makes of a value. The event loop turns in between. */
export async function jsonHash(value: unknown, order: FieldOrder): Promise<Buffer> {
  const hash = createHash('sha256');
  const yieldIfDue = yieldBetweenSteps();
  let text = '';
  for (const part of jsonParts(value, order)) {
    text += part;
    if (text.length < HASHED_LENGTH) continue;
    hash.update(text, 'utf8');
    text = '';
    await yieldIfDue();
  }
  return hash.update(text, 'utf8').digest();
}
