import type { ProgressBar } from './progress-bar.ts';

/** The exit code that a shell reports for a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs the work. Ctrl-C ends the process at once; everything done so far stays. */
export async function interruptible<Result>(
  progress: ProgressBar,
  work: () => Promise<Result>,
): Promise<Result> {
  const interrupt = () => {
    progress.end();
    process.exit(INTERRUPTED);
  };
  process.on('SIGINT', interrupt);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupt);
    progress.end();
  }
}
