import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ModelClientOptions } from './model-client-options.ts';
import { oneLine } from './model-files.ts';

const MIB = 1024 * 1024;
const MAIN = new URL('./model-process.ts', import.meta.url);

/**
 * Starts the process that loads the model and tells when it is ready.
 * @throws Error where the machine has no room for it; what else keeps it from starting is an error of the process
 */
export function startModelProcess({ model, megabytes, main = MAIN }: ModelClientOptions): ChildProcess {
  const { name, modelDir, profile } = model;
  // All users of the machine can read it: nothing of the hub, whose address may hold a password.
  const settings = JSON.stringify({ name, modelDir, profile });
  return fork(fileURLToPath(main), [String(megabytes * MIB), settings], {
    // Nothing of the service's own: no setting, and no option of Node that would read one from a file.
    env: {},
    // The one option is for what loading leaves behind.
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Vectors go over as bytes.
    serialization: 'advanced',
  });
}

/**
 * Waits until the process is gone and all that it said is heard. Returns how it ended, to be put after "it ended".
 */
export function endOf(child: ChildProcess, { logger, megabytes }: ModelClientOptions): Promise<string> {
  return new Promise((resolve) => {
    // Not at its exit: what it said before may come later, and would be taken for the next one's.
    child.once('close', (code: number | null, by: NodeJS.Signals | null) => {
      const mayLackMemory = by === 'SIGKILL' || by === 'SIGABRT';
      const memory = `: it may need more memory than MEMORY_EMBEDDING_MEGABYTES=${megabytes}, or than there is`;
      resolve(` (${by ?? `code ${code}`})${mayLackMemory ? memory : ''}`);
    });
    // Without a listener an error would end the worker. A process that could not even be made has no end.
    child.on('error', (error) => {
      logger.warn({ err: error }, 'the process of the model cannot be reached');
      if (child.pid === undefined) resolve(` (${oneLine(error)})`);
    });
  });
}
