import { FileFault } from '../extraction.ts';

/** Finds the position of a syntax error in JSON, because `JSON.parse` does not report it for every error. */

/** The kind of an error and its position. */
export interface JsonFault {
  kind: 'syntax' | 'too_deep';
  /** Offset in UTF-16 code units. */
  at: number;
}

const SPACE = /[\t\n\r ]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const QUOTE_OR_BACKSLASH = /["\\]/g;

/** Where the match of a sticky expression ends, or -1. */
function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The offset of the first character between two offsets that must be escaped in a string, or -1. */
function controlIn(text: string, from: number, to: number): number {
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) < 0x20) return at;
  return -1;
}

/** The end of the string that begins at `start`. If it is `broken`, the position of the error. */
function readString(text: string, start: number): { at: number; broken: boolean } {
  for (let at = start + 1; ; ) {
    QUOTE_OR_BACKSLASH.lastIndex = at;
    const next = QUOTE_OR_BACKSLASH.exec(text)?.index ?? text.length;
    const control = controlIn(text, at, next);
    if (control >= 0) return { at: control, broken: true };
    if (text[next] === '"') return { at: next + 1, broken: false };
    const escaped = matchEnd(ESCAPE, text, next);
    if (escaped < 0) return { at: next, broken: true };
    at = escaped;
  }
}

/** What can come next. `item` and `member` are the first in a container, which can also end there. */
type Expected = 'value' | 'item' | 'member' | 'key' | 'colon' | 'next';

/**
 * The first place where `text` is not JSON, or where it is nested deeper than `maxDepth`. Null for valid JSON.
 * Runs in linear time and without recursion.
 */
export function findJsonFault(text: string, maxDepth: number): JsonFault | null {
  const closers: string[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; ) {
    at = matchEnd(SPACE, text, at);
    const char = text[at];
    const closer = closers.at(-1);
    const begins: boolean = expected === 'value' || expected === 'item';
    const ends: boolean = expected === 'next' || expected === 'item' || expected === 'member';
    let end = -1;
    if (char === undefined && closer === undefined && expected === 'next') return null;
    if (char !== undefined && char === closer && ends) {
      closers.pop();
      expected = 'next';
      end = at + 1;
    } else if (begins && (char === '{' || char === '[')) {
      if (closers.push(char === '{' ? '}' : ']') > maxDepth) return { kind: 'too_deep', at };
      expected = char === '{' ? 'member' : 'item';
      end = at + 1;
    } else if (char === '"' && (begins || expected === 'member' || expected === 'key')) {
      const string = readString(text, at);
      if (string.broken) return { kind: 'syntax', at: string.at };
      expected = begins ? 'next' : 'colon';
      end = string.at;
    } else if (begins) {
      expected = 'next';
      end = matchEnd(SCALAR, text, at);
    } else if (expected === 'colon' && char === ':') {
      expected = 'value';
      end = at + 1;
    } else if (expected === 'next' && char === ',' && closer !== undefined) {
      expected = closer === '}' ? 'key' : 'value';
      end = at + 1;
    }
    if (end < 0) return { kind: 'syntax', at };
    at = end;
  }
}

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
