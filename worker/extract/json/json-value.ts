import { FileFault } from '../extraction.ts';
import { findJsonFault } from './json-fault.ts';

/** A value of JSON. Numbers are strings, exactly as in the file: no digit is lost, and `1.50` stays `1.50`. */
export type JsonValue = string | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

/** Useful data is not nested more deeply, and a recursive function can still walk data of this depth. */
const MAX_DEPTH = 500;

/** The type of `JSON.parse` in Node 24: the reviver gets the source text of a scalar. */
type ParseJson = (
  text: string,
  revive: (key: string, value: unknown, context: { source?: string }) => unknown,
) => JsonValue;

const parse = JSON.parse as ParseJson;

function syntaxFault(text: string, at: number): FileFault {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return new FileFault(
    'invalid_json',
    at >= text.length
      ? 'The file is not valid JSON: it ends too early.'
      : `The file is not valid JSON: look at line ${line}, position ${column}.`,
  );
}

/**
 * Parses one value of JSON. If an object has equal keys, the last one counts.
 * @throws FileFault `invalid_json`, `too_deep`
 */
export function parseJson(text: string): JsonValue {
  const fault = findJsonFault(text, MAX_DEPTH);
  if (fault?.kind === 'too_deep') {
    throw new FileFault(
      'too_deep',
      `The file is nested more than ${MAX_DEPTH} levels deep: save it in a simpler form.`,
    );
  }
  if (fault !== null) throw syntaxFault(text, fault.at);
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The string or number under a key, or an empty string. */
export function textUnder(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The objects of the array under a key. Other items are left out. */
export function objectsUnder(object: JsonObject, key: string): JsonObject[] {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The object under a key, or an empty object. */
export function objectUnder(object: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isJsonObject(value) ? value : {};
}
