import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { writeBatches } from './batches.ts';
import { collectFailures, type Failure } from './failures.ts';

/** Files at once: one more than cores, because most tests wait for something now and then. */
const FILES_AT_ONCE = Math.max(2, availableParallelism() + 1);
const TIMEOUT_MS = 300_000;

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
    execArgv: [`--test-timeout=${TIMEOUT_MS}`],
    env,
    ...(namePatterns.length === 0 ? {} : { testNamePatterns: namePatterns }),
  });
  const failures = collectFailures(events, filesOf);
  const summary = Promise.withResolvers<boolean>();
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) summary.resolve(success);
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text as string);
  return { passed: await summary.promise, failures };
}
