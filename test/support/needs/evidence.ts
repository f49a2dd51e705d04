import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach } from 'node:test';

/*
 * What a failed test leaves for the person who looks for the reason: databases, folders and logs. A test that passes
 * leaves nothing. The runner names a folder in MEMORY_TEST_EVIDENCE, and prints what it finds there at the end.
 */

const given = process.env['MEMORY_TEST_EVIDENCE'];
const isTest = process.env['NODE_TEST_CONTEXT'] !== undefined;
const file = basename(process.argv[1] ?? 'test', '.test.ts');

let hasFailedTest = false;
if (isTest) {
  afterEach((context) => {
    if ('passed' in context && !context.passed) hasFailedTest = true;
  });
}

/** Whether a test of this process has failed so far. */
export const hasFailed = () => hasFailedTest;

/** Keeps what a test made if `use` throws. For what is removed before the test has ended. */
export async function keepIfThrown<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    hasFailedTest = true;
    throw error;
  }
}

/** A new empty folder, which nobody removes yet. */
export function evidenceFolder(): string {
  const parent = given ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${given === undefined ? 'team-memory-' : ''}${file}-`));
}

/** How the name of a file begins that stands for a kept database. */
export const NOTE = 'database ';

/** Tells the runner that a database is kept. */
export function noteKeptDatabase(name: string): void {
  if (given === undefined) process.stderr.write(`${NOTE}${name} is kept, because a test of ${file} failed\n`);
  else writeFileSync(join(given, `${NOTE}${name} of ${file}`), '');
}

/** Removes folders, also where a process that was just killed still writes to one. */
function remove(folders: readonly string[]): void {
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/**
 * Removes folders when this test process ends, or keeps them if one of its tests or hooks failed. Outside a test there
 * is nobody to look at them: they are removed at once.
 * @param writeLogs called if they are kept
 */
export function removeUnlessFailed(folders: readonly string[], writeLogs: () => unknown): void {
  if (!isTest) {
    remove(folders);
    return;
  }
  process.once('exit', (code) => {
    if (code === 0) {
      remove(folders);
      return;
    }
    writeLogs();
    if (given === undefined) process.stderr.write(`kept for the failed test: ${folders.join(' ')}\n`);
  });
}
