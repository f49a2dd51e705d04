/** A name can be of any length, and comparing takes time with the product of two lengths. */
const LONGEST = 100;

/**
 * How many characters must be inserted, removed, replaced or swapped with their neighbour to make one text of another:
 * the optimal string alignment distance.
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

/** The one of the known names that is most like a mistyped one; the first of several. Undefined without any. */
function nearestName(mistyped: string, known: Iterable<string>): string | undefined {
  let nearest: { name: string; edits: number } | undefined;
  for (const name of known) {
    const edits = distance(mistyped.slice(0, LONGEST), name);
    if (nearest === undefined || edits < nearest.edits) nearest = { name, edits };
  }
  return nearest?.name;
}

/**
 * One line for each variable with the service's prefix that is set and not known, with the nearest known name and never
 * its value. Those of the tests do not count.
 */
export function warnOfUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  const settings = [...known].filter((name) => name.startsWith('MEMORY_'));
  return Object.keys(env)
    .filter((name) => name.startsWith('MEMORY_') && !name.startsWith('MEMORY_TEST_') && !known.has(name))
    .filter((name) => env[name]?.trim())
    .sort()
    .map((name) => `${name} is not a setting and is ignored. Did you mean ${nearestName(name, settings)}?`);
}
