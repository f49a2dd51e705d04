import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';

/** A process for work that could harm the worker. It gets no settings of the service and no database connection. */
export interface SupervisedProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended and all its messages were received. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

/** The exit code of a process, the signal that ended it, or the error that prevented its start. */
export type ProcessEnd = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

/**
 * Starts a process.
 * @throws Error if the machine has no memory for it; other failures to start are `error` events of the process
 */
export function startProcess(
  main: URL,
  args: string[],
  options: Pick<ForkOptions, 'execArgv' | 'execPath' | 'env'>,
  stdin: number | 'ignore' = 'ignore',
): SupervisedProcess {
  const child = fork(main, args, {
    ...options,
    // Only these, and no settings of the service: code that takes over the process finds no credentials.
    env: { ...options.env },
    stdio: [stdin, 'ignore', 'ignore', 'ipc'],
    // Sends bytes as bytes.
    serialization: 'advanced',
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    // Not `exit`: messages can arrive after it, and would be attributed to the next process.
    child.once('close', (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }));
    // Without a listener, an error would end the worker. A process that could not be created has no `close` event.
    child.on('error', (error) => child.pid === undefined && resolve({ error }));
  });
  return { child, ended };
}

/** Returns whether a process sent its first message before it ended. Calls `onLate` if neither happens in time. */
export async function hasStarted(
  { child, ended }: SupervisedProcess,
  ms: number,
  onLate: () => void,
): Promise<boolean> {
  const timer = setTimeout(onLate, ms);
  const first = new Promise<boolean>((resolve) => child.once('message', () => resolve(true)));
  return Promise.race([first, ended.then(() => false)]).finally(() => clearTimeout(timer));
}

/** Sends a message to a process. Errors are ignored: if the process has just ended, `ended` reports it. */
export function sendTo<T extends object>({ child }: SupervisedProcess, message: T): void {
  child.send(message, () => undefined);
}

/** Whether a signal can mean a lack of memory. V8 sends SIGABRT if the JavaScript heap is full. */
export function meansLackOfMemory(signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGKILL' || signal === 'SIGABRT';
}

/** Makes this process end when its parent ends or closes the channel, and not before. */
export function endWithParent(): void {
  // Ctrl-C is sent to the whole process group. It is ignored here, because the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit(0));
}
