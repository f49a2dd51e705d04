import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesPerProcess, needsOf } from './needs.ts';
import type { Round } from './tiers.ts';

/*
 * A test file in a process of its own spends half of its time on loading the code and starting a database. Where the
 * needs of files allow it, several share a process and run in it one after the other.
 */

/** The test of a batch that ends when all of its files are loaded. */
export const LOADED = 'the files of a batch are loaded';

/** Parts of a list, with at most so many each. Neighbours, which have similar names, come into different parts. */
function partsOf(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, part) => files.filter((_file, index) => index % count === part));
}

/**
 * Test files in groups, each for one process. Larger groups come first: what remains at the end of a run should be
 * small. Files with a process of their own mostly wait for it, so they come one by one between the groups: several of
 * them at once would leave a core without work.
 */
export function batchesOf(files: readonly string[], database: Round['database']): string[][] {
  const bySize = Map.groupBy(files, (file) => filesPerProcess(needsOf(file), database));
  const alone = (bySize.get(1) ?? []).map((file) => [file]);
  bySize.delete(1);
  const groups = [...bySize]
    .sort(([one], [other]) => other - one)
    .flatMap(([most, some]) => partsOf(some, most));
  const mixed = groups.flatMap((group, index) =>
    index % 2 === 1 ? [group, ...alone.splice(0, 1)] : [group],
  );
  return [...mixed, ...alone];
}

/**
 * A module that loads these files. Its own test ends when all are loaded: otherwise the tests of the first file can be
 * over, and with them the run and its databases, while another file still prepares for its tests. A file that cannot
 * be loaded fails as a test with its name. The environment and `fetch` belong to all files, so none can set them;
 * `t.mock.method` can, because it undoes it when the test ends.
 */
function batchText(files: readonly string[]): string {
  const loads = files.map(
    (file) => `await load(${JSON.stringify(file)}, ${JSON.stringify(pathToFileURL(resolve(file)).href)});`,
  );
  return `import test from 'node:test';
const why = 'in a process that test files share; import test/support/needs/process.ts';
process.env = new Proxy(process.env, {
  set(_, name) {
    throw new TypeError(\`\${String(name)} cannot be set \${why}\`);
  },
});
Object.defineProperty(globalThis, 'fetch', { writable: false });
const load = async (file, url) => {
  try {
    await import(url);
  } catch (error) {
    test(file, () => Promise.reject(error));
  }
};
const loaded = Promise.withResolvers();
test(${JSON.stringify(LOADED)}, () => loaded.promise);
${loads.join('\n')}
loaded.resolve();
`;
}

/** Writes a module for each group of several files. Gives what to run instead of the files, with the files of each. */
export async function writeBatches(
  batches: readonly string[][],
  folder: string,
): Promise<Map<string, string[]>> {
  const made = new Map<string, string[]>();
  for (const [index, batch] of batches.entries()) {
    const [first = ''] = batch;
    const path = batch.length === 1 ? resolve(first) : join(folder, `batch-${index + 1}.test.mjs`);
    if (batch.length > 1) await writeFile(path, batchText(batch));
    made.set(path, batch);
  }
  return made;
}
