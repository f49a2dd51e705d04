import { invalidField } from '../../../shared/errors.ts';
import { shownPointer } from '../../../shared/secrets/find-secrets.ts';

type Keys = readonly (string | number)[];

/** Whether these keys name the workspace path of a file. */
function isWorkspacePath([list, index, field, ...more]: Keys): boolean {
  return list === 'files' && typeof index === 'number' && field === 'path' && more.length === 0;
}

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'must not contain a NUL character';
  return text.isWellFormed() ? null : 'must not contain a lone surrogate';
}

/**
 * Refuses a text that PostgreSQL cannot store.
 * @param path JSON pointer of the text
 * @throws ServiceError `invalid_request`
 */
export function assertStorableText(text: string, path: string): void {
  const fault = textFault(text);
  if (fault !== null) throw invalidField(path, fault);
}

/**
 * Refuses text that PostgreSQL cannot store, anywhere in a body: NUL and lone surrogates. Also refuses keys that name a
 * prototype. The depth and size of the body were limited before it was parsed.
 * @param hasWorkspacePaths whether the route checks the path of each of `files` with its own error
 * @throws ServiceError `invalid_request` that names the path
 */
export function assertStorableBody(body: unknown, hasWorkspacePaths: boolean): void {
  assertStorable(body, (keys) => hasWorkspacePaths && isWorkspacePath(keys), []);
}

/**
 * How many numbers a list begins with; for a vector, all. A separate function, and `at` for the first element,
 * because V8 compiles code that indexes both kinds of lists to allocate an object for each number. That took half as
 * long as parsing them.
 */
function countLeadingNumbers(list: readonly unknown[]): number {
  return typeof list.at(0) === 'number' ? countNumbers(list) : 0;
}

function countNumbers(list: readonly unknown[]): number {
  let count = 1;
  while (count < list.length && typeof list[count] === 'number') count += 1;
  return count;
}

/**
 * @param isChecked whether the route checks the text at these keys
 * @param keys the path of `value` in the body
 */
function assertStorable(value: unknown, isChecked: (keys: Keys) => boolean, keys: (string | number)[]): void {
  if (typeof value === 'string') {
    const fault = textFault(value);
    if (fault !== null && !isChecked(keys)) throw invalidField(shownPointer(keys), fault);
  } else if (Array.isArray(value)) {
    // By index, because `for in` would create a string for each of a vector's thousand numbers.
    for (let index = countLeadingNumbers(value); index < value.length; index += 1) {
      const child: unknown = value[index];
      if (typeof child !== 'number') assertStorableChild(child, index, isChecked, keys);
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const key in members) {
      const child = members[key];
      const fault = textFault(key);
      if (fault !== null) throw invalidField(shownPointer([...keys, key]), fault);
      if (namesPrototype(key, child)) {
        throw invalidField('/__proto__', 'is not a known field; neither is constructor.prototype');
      }
      assertStorableChild(child, key, isChecked, keys);
    }
  }
}

function assertStorableChild(
  child: unknown,
  key: string | number,
  isChecked: (keys: Keys) => boolean,
  keys: (string | number)[],
): void {
  keys.push(key);
  assertStorable(child, isChecked, keys);
  keys.pop();
}

/** Whether copying a member to an object would change the prototype of that object. */
function namesPrototype(key: string, child: unknown): boolean {
  if (key === '__proto__') return true;
  return (
    key === 'constructor' && typeof child === 'object' && child !== null && Object.hasOwn(child, 'prototype')
  );
}

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
