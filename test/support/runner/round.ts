import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { writeBatches } from './batches.ts';
import { collectFailures, type Failure } from './failures.ts';

/** Files at once: two more than cores, because most tests wait for something now and then. */
const FILES_AT_ONCE = availableParallelism() + 2;
/** The longest that one test can take. */
const TIMEOUT_MS = 300_000;
/** The longest that a round can take: a file that hangs outside of its tests has no other limit. */
const ROUND_TIMEOUT_MS = 45 * 60_000;

interface RoundOptions {
  /** The test files of each process. */
  batches: readonly string[][];
  /** For the modules that load several files. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Regular expressions: only tests whose full names match one. */
  namePatterns: string[];
}

/** Runs test files, and prints each test as it ends. */
export async function runRound({
  batches,
  folder,
  env,
  namePatterns,
}: RoundOptions): Promise<{ passed: boolean; failures: Failure[] }> {
  const filesOf = await writeBatches(batches, folder);
  const events = run({
    files: [...filesOf.keys()],
    concurrency: FILES_AT_ONCE,
    timeout: TIMEOUT_MS,
    signal: AbortSignal.timeout(ROUND_TIMEOUT_MS),
    env,
    ...(namePatterns.length === 0 ? {} : { testNamePatterns: namePatterns }),
  });
  const failures = collectFailures(events, filesOf);
  const count = { tests: 0 };
  for (const ended of ['test:pass', 'test:fail'] as const) {
    events.on(ended, ({ name, details }) => {
      // Each file counts as a test too.
      if (details.type !== 'suite' && !filesOf.has(resolve(name))) count.tests += 1;
    });
  }
  const summary = Promise.withResolvers<boolean>();
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) summary.resolve(success);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  const passed = await summary.promise;
  if (namePatterns.length > 0 && count.tests === 0) {
    process.stdout.write('no test has a name that matches --test-name-pattern\n');
    return { passed: false, failures };
  }
  return { passed, failures };
}
