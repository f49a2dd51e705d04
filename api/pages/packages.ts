import { posix } from 'node:path';

/**
 * The packages that scripts import by name, with the paths at which pages find them. Browsers resolve no names, and an
 * import map would be an inline script, which the policy of the pages forbids.
 */
export const PACKAGES = {
  preact: 'packages/preact.js',
  'preact/hooks': 'packages/preact-hooks.js',
  htm: 'packages/htm.js',
  // Three files that import each other by relative paths, so they lie as in the package.
  'diff/lib/diff/word.js': 'packages/diff/diff/word.js',
  'diff/lib/diff/base.js': 'packages/diff/diff/base.js',
  'diff/lib/util/string.js': 'packages/diff/util/string.js',
} as const;

/**
 * Replaces the names of packages in the imports of a script with relative paths.
 * @param path of the script, below the folder of its page
 */
export function resolvePackages(path: string, script: string): string {
  let resolved = script;
  for (const [name, target] of Object.entries(PACKAGES)) {
    const relative = `./${posix.relative(posix.dirname(path), target)}`;
    // Packages are minified, so there can be no space.
    for (const before of ['from', 'from ']) {
      for (const quote of ["'", '"']) {
        resolved = resolved.replaceAll(
          `${before}${quote}${name}${quote}`,
          `${before}${quote}${relative}${quote}`,
        );
      }
    }
  }
  return resolved;
}
