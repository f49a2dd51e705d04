import { setTimeout as pause } from 'node:timers/promises';
import { Interrupted } from './command-error.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { ProgressBar } from './progress-bar.ts';

/** Runs the work. Ctrl-C ends the process at once; everything done so far stays. */
export async function interruptible<Result>(
  progress: ProgressBar,
  work: () => Promise<Result>,
): Promise<Result> {
  const interrupt = () => {
    progress.end();
    process.exit(EXIT_CODES.interrupted.code);
  };
  process.on('SIGINT', interrupt);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupt);
    progress.end();
  }
}

/** The signals that ask a command to end. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type Ending = (typeof SIGNALS)[number];

/** Runs work during which signals do not end the process. Each is given to `onSignal` instead. */
export async function catchSignals<Value>(
  onSignal: (signal: Ending) => void,
  work: () => Promise<Value>,
): Promise<Value> {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/**
 * Runs work that must not be left half done when Ctrl-C is pressed or another signal arrives. The process goes on, and
 * the next call of `throwIfInterrupted` in the work throws Interrupted, so that the work can undo what it has begun.
 */
export function undoable<Value>(
  work: (throwIfInterrupted: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let isInterrupted = false;
  return catchSignals(
    () => {
      isInterrupted = true;
    },
    () =>
      work(async () => {
        // The end of a program can be noticed before the signal that both received.
        await pause(0);
        if (isInterrupted) throw new Interrupted();
      }),
  );
}
