import { relative, resolve } from 'node:path';
import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';
import { ROOT } from '../root.ts';
import type { Round } from './tiers.ts';

/** A test that failed, or a file that could not be run. */
export interface Failure {
  /** The test's name after those of its suites; empty for a whole file. */
  names: string[];
  /** The test file, by its path in the repository; several where one process ran them and ended. */
  files: string[];
  error: unknown;
}

const inRepository = (file: string) => relative(ROOT, resolve(file));

/**
 * Collects what fails.
 * @param filesOf the test files that a file that is run stands for
 */
export function collectFailures(events: TestsStream, filesOf: ReadonlyMap<string, string[]>): Failure[] {
  const failures: Failure[] = [];
  let names: string[] = [];
  // Events come in the order of the tests of a file, and one file after the other.
  events.on('test:start', ({ nesting, name }) => {
    names = [...names.slice(0, nesting), name];
  });
  events.on('test:fail', ({ nesting, name, file = '', details, todo }) => {
    const error = details.error as Error & { failureType?: string };
    // A suite fails because of its tests, which are reported themselves; a test that is marked `todo` can fail.
    if (error.failureType === 'subtestsFailed' || (todo !== undefined && todo !== false)) return;
    const cause = error.cause ?? error;
    const whole = filesOf.get(resolve(name));
    const files = whole ?? filesOf.get(file) ?? [file];
    // A file that a batch could not load has a test that bears its name.
    const isFile = whole !== undefined || files.some((one) => one === name);
    if (isFile) failures.push({ names: [], files: (whole ?? [name]).map(inRepository), error: cause });
    else
      failures.push({ names: [...names.slice(0, nesting), name], files: [inRepository(file)], error: cause });
  });
  return failures;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command that runs this alone. */
export function commandFor({ names, files }: Failure, database: Round['database']): string {
  const script = database === 'postgres' ? 'run test:pg' : 'test';
  // Without RegExp.escape, which makes blanks and first letters hard to read.
  const pattern = `^${names.join(' ').replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
  const chosen = names.length === 0 ? [] : [`--test-name-pattern=${quoted(pattern)}`];
  return ['npm', script, '--', ...files, ...chosen].join(' ');
}

/** What failed, why, and how to run it alone. */
export function describeFailure(failure: Failure, database: Round['database']): string {
  const name = failure.names.length === 0 ? failure.files.join(', ') : failure.names.join(' > ');
  return `✖ ${name}\n${inspect(failure.error)}\nRun it alone: ${commandFor(failure, database)}\n`;
}
