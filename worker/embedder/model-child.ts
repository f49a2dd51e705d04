import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ModelClientOptions } from './model-client-options.ts';
import { oneLine } from './model-files.ts';

const MIB = 1024 * 1024;
const MAIN = new URL('./model-process.ts', import.meta.url);

/**
 * Starts the process that loads the model. It sends a message when it is ready.
 * @throws Error if the machine has no memory for it; other failures to start are `error` events of the process
 */
export function startModelProcess({ model, megabytes, main = MAIN }: ModelClientOptions): ChildProcess {
  const { name, modelDir, profile } = model;
  // All users of the machine can read these arguments, so the hub is left out: its address can contain a password.
  const settings = JSON.stringify({ name, modelDir, profile });
  return fork(fileURLToPath(main), [String(megabytes * MIB), settings], {
    // The process gets none of the service's settings, and no Node option that would read settings from a file.
    env: {},
    // The only option allows the process to free the memory that loading leaves behind.
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Sends vectors as bytes.
    serialization: 'advanced',
  });
}

/**
 * Waits until the process has ended and all its messages were received. Returns how it ended, to append to a message.
 */
export function endOf(child: ChildProcess, { logger, megabytes }: ModelClientOptions): Promise<string> {
  return new Promise((resolve) => {
    // Not `exit`: messages can arrive after it, and would be attributed to the next process.
    child.once('close', (code: number | null, by: NodeJS.Signals | null) => {
      const mayLackMemory = by === 'SIGKILL' || by === 'SIGABRT';
      const memory = `: it may need more memory than MEMORY_EMBEDDING_MEGABYTES=${megabytes}, or than there is`;
      resolve(` (${by ?? `code ${code}`})${mayLackMemory ? memory : ''}`);
    });
    // Without a listener, an error would end the worker. A process that could not be created has no `close` event.
    child.on('error', (error) => {
      logger.warn({ err: error }, 'model process cannot be reached');
      if (child.pid === undefined) resolve(` (${oneLine(error)})`);
    });
  });
}
