import { isNoAnswer } from '../../db/driver/faults.ts';

/** What became of one of several changes: its result, or the error that it failed with. */
export type Outcome<R extends object> = R | { error: unknown };

/**
 * Runs changes one after the other, each in its own transaction. If one fails, the others are still made.
 * @param signal of the request: no further change is made after it is closed
 * @returns each outcome as soon as it is known, in the order of the changes
 */
export async function* runEach<T, R extends object>(
  changes: readonly T[],
  signal: AbortSignal,
  run: (change: T, index: number) => Promise<R>,
): AsyncGenerator<Outcome<R>> {
  let noAnswer: { error: unknown } | null = null;
  for (const [index, change] of changes.entries()) {
    if (signal.aborted) break;
    // Each would wait just as long for a database that does not respond.
    const outcome: Outcome<R> = noAnswer ?? (await run(change, index).catch((error: unknown) => ({ error })));
    if ('error' in outcome && isNoAnswer(outcome.error)) noAnswer = outcome;
    yield outcome;
  }
}
