import { relative, resolve } from 'node:path';
import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';
import { ROOT } from '../root.ts';
import { LOADED } from './batches.ts';
import { usesRetrievalSet } from './needs.ts';
import type { Round } from './tiers.ts';

/** A test that failed, or a file that could not be run. */
export interface Failure {
  /** The test's name after those of its suites; empty for a whole file. */
  names: string[];
  /** The test file, by its path in the repository; several where one process ran them and ended. */
  files: string[];
  error: unknown;
  /** The end of the output to stderr, of a file that could not be run. */
  printed: string;
}

/** How many characters are kept of the output of a file to stderr. */
const KEPT_OUTPUT = 4000;

const inRepository = (file: string) => relative(ROOT, resolve(file));

/**
 * Collects what fails.
 * @param filesOf the test files that a file that is run stands for
 */
export function collectFailures(events: TestsStream, filesOf: ReadonlyMap<string, string[]>): Failure[] {
  const failures: Failure[] = [];
  const printed = new Map<string, string>();
  events.on('test:stderr', ({ file, message }) => {
    printed.set(file, `${printed.get(file) ?? ''}${message}`.slice(-KEPT_OUTPUT));
  });
  let names: string[] = [];
  // Events come in the order of the tests of a file, and one file after the other.
  events.on('test:start', ({ nesting, name }) => {
    names = [...names.slice(0, nesting), name];
  });
  events.on('test:fail', (event) => {
    const { nesting, name, file = '', details, todo } = event;
    // `file` is where the test is written, which can be a helper; `entryFile` is the file that ran.
    const { entryFile = file } = event as { entryFile?: string };
    const error = details.error as Error & { failureType?: string };
    // A suite fails because of its tests, which are reported themselves; a test that is marked `todo` can fail.
    if (error.failureType === 'subtestsFailed' || (todo !== undefined && todo !== false)) return;
    // Of a process that ended, the cause is only a text, and the error itself has the exit code or the signal.
    const cause = error.cause instanceof Error ? error.cause : error;
    const ran = filesOf.get(resolve(name)) ?? filesOf.get(entryFile) ?? [entryFile];
    // Of a batch, the file in which the test is written, or all of them if it is written in a helper.
    const files = ran.filter((one) => resolve(one) === file);
    // A file that a batch could not load has a test with its name; a hook that is in no test has the name of a file.
    const loaded = ran.filter((one) => one === name);
    const isFile = loaded.length > 0 || filesOf.has(resolve(name)) || name === file || name === LOADED;
    const failed = [loaded, files, ran].find((some) => some.length > 0) ?? [];
    failures.push({
      names: isFile ? [] : [...names.slice(0, nesting), name],
      files: failed.map(inRepository),
      error: cause,
      printed: isFile ? (printed.get(entryFile) ?? '') : '',
    });
  });
  return failures;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command that runs this alone. */
export function commandFor({ names, files }: Failure, database: Round['database']): string {
  const script = database === 'postgres' ? 'run test:pg' : 'test';
  // Without it, a test of ranking is skipped.
  const retrieval = process.env['MEMORY_TEST_XQUAD_R'];
  const setting =
    retrieval && files.some(usesRetrievalSet) ? [`MEMORY_TEST_XQUAD_R=${quoted(retrieval)}`] : [];
  // Without RegExp.escape, which makes blanks and first letters hard to read.
  const pattern = `^${names.join(' ').replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
  const chosen = names.length === 0 ? [] : [`--test-name-pattern=${quoted(pattern)}`];
  return [...setting, 'npm', script, '--', ...files, ...chosen].join(' ');
}

/** What failed, why, and how to run it alone. */
export function describeFailure(failure: Failure, database: Round['database']): string {
  const name = failure.names.length === 0 ? failure.files.join(', ') : failure.names.join(' > ');
  return `✖ ${name}\n${inspect(failure.error)}\n${failure.printed}Run it alone: ${commandFor(failure, database)}\n`;
}
