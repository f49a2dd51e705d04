import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * A test file in a process of its own spends half of its time on loading the code and starting a database. Files that
 * work in a database which others may use as well share a process instead, one after the other.
 */

/** Modules for tests that need a database, processes or a browser of their own. */
const OWN = /\/test\/support\/(?:own-\w+|processes|browser\w*)\.ts$/;
/** What a file does to its whole process, or to every job of its database. */
const ALONE = /process\.env\[[^\]]+\] =|supervise: true/;
const FILES_A_BATCH = 9;

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

async function isAlone(file: string): Promise<boolean> {
  const path = resolve(file);
  const modules = await modulesOf(path);
  return ALONE.test(modules.get(path) ?? '') || [...modules.keys()].some((module) => OWN.test(module));
}

/**
 * Test files as they are to be run: each either alone or in a file, made in this folder, that loads several of them.
 * The larger come first: what is left to the end should be small.
 */
export async function inBatches(files: readonly string[], folder: string): Promise<string[]> {
  const alone: string[] = [];
  const together: string[] = [];
  for (const file of files) ((await isAlone(file)) ? alone : together).push(file);
  const count = Math.ceil(together.length / FILES_A_BATCH);
  const batches = Array.from({ length: count }, (_, batch) =>
    // Neighbours by name are alike, and each batch is to have its share of them.
    together.filter((_file, index) => index % count === batch),
  );
  const made: string[] = [];
  for (const [index, batch] of batches.entries()) {
    const path = join(folder, `batch-${index + 1}.test.mjs`);
    const lines = batch.map((file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)});`);
    await writeFile(path, `${lines.join('\n')}\n`);
    made.push(path);
  }
  return [...made, ...alone];
}
