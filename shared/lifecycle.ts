import { ConfigError } from './config.ts';

/** The most time for finishing the work in progress. Platforms kill a process after 30 seconds. */
const DRAIN_MS = 19_000;

const exitNow = () => process.exit(1);

/**
 * Ends the process immediately on SIGTERM or SIGINT, until `closeOnSignal` is called. Without it, the first process
 * of a container ignores SIGTERM while it starts. Every `main` must call it first.
 */
export function exitOnSignal(): void {
  process.on('SIGTERM', exitNow);
  process.on('SIGINT', exitNow);
}

/**
 * On SIGTERM or SIGINT, calls `close` and then ends the process with exit code 0. If `close` fails or takes too long,
 * the exit code is 1. A second signal is ignored. A process that another process started with an IPC channel also
 * ends when the channel closes, because the other process has then ended and cannot send a signal.
 */
export function closeOnSignal(close: () => Promise<void>, onError: (error: unknown) => void): void {
  let closing = false;
  const drain = () => {
    if (closing) return;
    closing = true;
    setTimeout(() => {
      onError(new Error('stopping took too long'));
      process.exit(1);
    }, DRAIN_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        onError(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, drain);
    process.off(signal, exitNow);
  }
  process.on('disconnect', drain);
  // The other process may have ended while this one was starting.
  if (process.send !== undefined && !process.connected) drain();
}

/** Ends a failed start-up: writes one line for each fault to standard error, and exits with code 1. */
export function failStartup(error: unknown): never {
  const faults = error instanceof ConfigError ? error.faults : [describe(error)];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the service could not start';
  // The error of a refused connection has no message, only a list of the attempts.
  const tried =
    error instanceof AggregateError ? error.errors.map((e: unknown) => describe(e)).join('; ') : '';
  return `${(error.message || tried || error.name).replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`;
}
