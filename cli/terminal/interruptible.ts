import type { ProgressBar } from './progress-bar.ts';

/** What a shell tells of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Ends the process at Ctrl-C while the work is done: whatever was done so far is kept. */
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
