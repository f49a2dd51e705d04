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
