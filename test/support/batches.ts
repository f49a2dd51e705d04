import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * A test file in a process of its own spends half of its time on loading the code and starting a database. Files share
 * a process instead, one after the other, where they neither start the service nor change their own.
 */

/** Modules for tests that start processes of the service. */
const PROCESSES = /\/test\/support\/processes\.ts$/;
/** What a file does to its whole process, or to every job of its database. */
const ALONE = /process\.env\[[^\]]+\] =|supervise: true/;
/** Modules for tests that open a database of their own: all of a batch are open at once. */
const DATABASES = /\/test\/support\/own-\w+\.ts$/;
/** Modules for tests in a browser, which take long: a batch must end within the time of one test. */
const BROWSERS = /\/test\/support\/browser\w*\.ts$/;
const FILES_A_BATCH = 12;
const DATABASES_A_BATCH = 4;
const BROWSERS_A_BATCH = 3;

/** The modules of ours that a module brings along, with itself. */
async function modulesOf(path: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  if (found.has(path)) return found;
  const text = await readFile(path, 'utf8');
  found.set(path, text);
  for (const [, from = ''] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) {
    await modulesOf(resolve(dirname(path), from), found);
  }
  return found;
}

/** How many files may share a process with this one, itself among them. */
async function companyOf(file: string): Promise<number> {
  const path = resolve(file);
  const modules = await modulesOf(path);
  const needs = (pattern: RegExp) => [...modules.keys()].some((module) => pattern.test(module));
  if (ALONE.test(modules.get(path) ?? '') || needs(PROCESSES)) return 1;
  if (needs(BROWSERS)) return BROWSERS_A_BATCH;
  return needs(DATABASES) ? DATABASES_A_BATCH : FILES_A_BATCH;
}

/** Parts of a list, of at most so many each. Neighbours, which are alike by name, come into different ones. */
function partsOf(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, part) => files.filter((_file, index) => index % count === part));
}

/**
 * A file that loads these. Its own test ends when all are loaded: else those of the first file may be over, and with
 * them the whole run and its databases, while another still makes ready for its own.
 */
function batchText(files: readonly string[]): string {
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)});`);
  return [
    "import test from 'node:test';",
    'const loaded = Promise.withResolvers();',
    "test('the files of a batch are loaded', () => loaded.promise);",
    ...imports,
    'loaded.resolve();',
    '',
  ].join('\n');
}

/**
 * Test files as they are to be run: each either alone or in a file, made in this folder, that loads several of them.
 * The larger come first: what is left to the end should be small.
 */
export async function inBatches(files: readonly string[], folder: string): Promise<string[]> {
  const company = new Map<string, number>();
  for (const file of files) company.set(file, await companyOf(file));
  const sharing = (most: number) => files.filter((file) => company.get(file) === most);
  const made: string[] = [];
  const batches = [FILES_A_BATCH, BROWSERS_A_BATCH, DATABASES_A_BATCH].flatMap((most) =>
    partsOf(sharing(most), most),
  );
  for (const [index, batch] of batches.entries()) {
    const path = join(folder, `batch-${index + 1}.test.mjs`);
    await writeFile(path, batchText(batch));
    made.push(path);
  }
  return [...made, ...sharing(1)];
}
