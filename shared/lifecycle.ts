import { ConfigError } from './config.ts';

/** The most time for finishing the work in progress, after the wait. Platforms kill a process after 30 seconds. */
const DRAIN_MS = 19_000;

/**
 * A SIGTERM within this time of the first one is the same one, which arrived twice: systemd sends it to every process of a
 * service, and npm passes on what it gets.
 */
const SAME_SIGNAL_MS = 1000;

const exitNow = () => process.exit(1);

/**
 * Ends the process immediately on SIGTERM or SIGINT, until `closeOnSignal` is called. Without it, the first process
 * of a container ignores SIGTERM while it starts. Every `main` must call it first.
 */
export function exitOnSignal(): void {
  process.on('SIGTERM', exitNow);
  process.on('SIGINT', exitNow);
}

/** How a process stops. */
export interface Stop {
  /** Is called at the first signal, before the wait. */
  announce?: () => void;
  /** How long a process that got SIGTERM waits until it closes, in milliseconds. Default: 0. */
  waitMs?: number;
  close: () => Promise<void>;
}

/**
 * On SIGTERM, calls `announce`, waits, calls `close`, and then ends the process with exit code 0. If `close` fails or takes
 * too long, the exit code is 1. SIGINT skips the wait, because a person waits for the end. Another signal during the wait
 * ends the wait; later ones are ignored. A process that another process started with an IPC channel also stops, without a
 * wait, when the channel closes, because the other process has then ended and cannot send a signal.
 */
export function closeOnSignal(
  { announce, waitMs = 0, close }: Stop,
  onError: (error: unknown) => void,
): void {
  let stoppingSince: number | null = null;
  let closing = false;
  let wait: NodeJS.Timeout | undefined;
  const announceOnce = () => {
    if (stoppingSince !== null) return;
    stoppingSince = performance.now();
    announce?.();
  };
  const drain = () => {
    announceOnce();
    if (closing) return;
    closing = true;
    clearTimeout(wait);
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
  const waitAndDrain = () => {
    if (waitMs === 0) drain();
    else if (stoppingSince === null) {
      announceOnce();
      wait = setTimeout(drain, waitMs);
    } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) drain();
  };
  process.on('SIGTERM', waitAndDrain);
  process.on('SIGINT', drain);
  process.off('SIGTERM', exitNow);
  process.off('SIGINT', exitNow);
  process.on('disconnect', drain);
  // The other process may have ended while this one was starting.
  if (process.send !== undefined && !process.connected) drain();
}

/** Ends a failed start-up: writes one line for each fault to standard error, and exits with code 1. */
export function failStartup(error: unknown): never {
  const faults = error instanceof ConfigError ? error.faults : [describeError(error)];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(1);
}

/** The reason of an error in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'the service could not start';
  // The error of a refused connection has no message, only a list of the attempts.
  const tried =
    error instanceof AggregateError ? error.errors.map((e: unknown) => describeError(e)).join('; ') : '';
  return `${(error.message || tried || error.name).replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`;
}
