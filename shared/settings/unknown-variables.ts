import { SETTINGS } from './definitions.ts';
import { type Environment, variableText } from './read-settings.ts';
import { type Setting, variablesOf } from './setting.ts';

/** A name can have any length, and the time to compare two names grows with the product of their lengths. */
const MAX_COMPARED_LENGTH = 100;

/**
 * The optimal string alignment distance: how many characters must be inserted, removed, replaced or swapped with their
 * neighbour to turn one text into the other.
 */
function distance(a: string, b: string): number {
  const rows: number[][] = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? j;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      rows[i]![j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  }
  return at(a.length, b.length);
}

/** Whether a text is another one of which only characters were left out, as DB_URL is of DATABASE_URL. */
function isShortened(text: string, whole: string): boolean {
  let matched = 0;
  for (const character of whole) if (character === text[matched]) matched += 1;
  return matched === text.length;
}

/**
 * The known name that is nearest to a mistyped one. First those of which characters were only left out; the longest if several
 * are as near, because letters are left out more often than added. Undefined if no name is known.
 */
function nearestName(mistyped: string, known: Iterable<string>): string | undefined {
  const given = mistyped.slice(0, MAX_COMPARED_LENGTH);
  return [...known]
    .map((name) => ({ name, isShortened: isShortened(given, name), edits: distance(given, name) }))
    .sort(
      (a, b) =>
        Number(b.isShortened) - Number(a.isShortened) || a.edits - b.edits || b.name.length - a.name.length,
    )
    .at(0)?.name;
}

/** So many names are suggested. */
const MAX_SUGGESTED = 3;

/** How many edits a typing error can have. With more of a short name, every other short name would be near. */
const maxEdits = (mistyped: string) => (mistyped.length < 4 ? 1 : 2);

/** The known names that a mistyped one can mean, the nearest first: with few edits, or with it as their beginning. */
export function similarNames(mistyped: string, known: Iterable<string>): string[] {
  const given = mistyped.slice(0, MAX_COMPARED_LENGTH).toLowerCase();
  if (given === '') return [];
  return [...new Set(known)]
    .map((name) => ({ name, edits: distance(given, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= maxEdits(given) || name.toLowerCase().startsWith(given))
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_SUGGESTED)
    .map(({ name }) => name);
}

/** Variables of the terminal client only. It reads them from the same `.env` file. */
export const CLIENT_VARIABLES = [
  'MEMORY_PROFILE',
  'MEMORY_NO_UPDATE_NOTIFIER',
  'MEMORY_HOOK_TIMEOUT_MS',
  'MEMORY_HOOK_DEBUG',
  'MEMORY_HOOK_CHECK',
] as const;

/** Every variable of the service and of the terminal client. */
const KNOWN = new Set<string>([
  ...Object.values<Setting>(SETTINGS).flatMap(variablesOf),
  ...CLIENT_VARIABLES,
]);

/**
 * Returns one line for each set variable that begins with MEMORY_ and is not known. The line names the nearest known
 * variable, and never contains the value. Variables of the tests are ignored.
 */
export function warnOfUnknownVariables(env: Environment): string[] {
  const settings = [...KNOWN].filter((name) => name.startsWith('MEMORY_'));
  return Object.keys(env)
    .filter((name) => name.startsWith('MEMORY_') && !name.startsWith('MEMORY_TEST_') && !KNOWN.has(name))
    .filter((name) => variableText(env, name) !== null)
    .sort()
    .map((name) => `${name} is not a setting and is ignored. Did you mean ${nearestName(name, settings)}?`);
}
