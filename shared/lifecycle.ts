import { ConfigError } from './config.ts';

/** How long a process may take to finish what runs. Platforms kill after 30 seconds. */
const DRAIN_MS = 19_000;

const exitNow = () => process.exit(1);

/**
 * Has a signal end the process at once until `closeOnSignal` takes over. Without it a process that is the first
 * of a container would not hear of SIGTERM while it starts. For the mains, first thing.
 */
export function exitOnSignal(): void {
  process.on('SIGTERM', exitNow);
  process.on('SIGINT', exitNow);
}

/**
 * Ends the process on SIGTERM or SIGINT when `close` is done, with exit code 0, or after the time for draining
 * with 1. A second signal while draining changes nothing. A process that was started by another with a channel
 * between them ends likewise when the other is gone: nobody else would tell it.
 */
export function closeOnSignal(close: () => Promise<void>, onError: (error: unknown) => void): void {
  let closing = false;
  const drain = () => {
    if (closing) return;
    closing = true;
    setTimeout(() => {
      onError(new Error('draining took too long'));
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
  // The other may have gone while this one was starting.
  if (process.send !== undefined && !process.connected) drain();
}

/** Ends a start-up that failed: one line for each fault on standard error, exit code 1. */
export function failStartup(error: unknown): never {
  const faults = error instanceof ConfigError ? error.faults : [describe(error)];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(1);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'the service could not start';
  // A refused connection has no message of its own, only a list of the attempts.
  const tried =
    error instanceof AggregateError ? error.errors.map((e: unknown) => describe(e)).join('; ') : '';
  return `${(error.message || tried || error.name).replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`;
}
