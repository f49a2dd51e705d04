import {
  meansLackOfMemory,
  type ProcessEnd,
  type SupervisedProcess,
  startProcess,
} from '../supervised-process.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { oneLine } from './model-files.ts';

const MIB = 1024 * 1024;
const MAIN = new URL('./model-process.ts', import.meta.url);

/**
 * Starts the process that loads the model. It sends a message when it is ready.
 * @throws Error if the machine has no memory for it; other failures to start are `error` events of the process
 */
export function startModelProcess({
  model,
  megabytes,
  main = MAIN,
}: Pick<ModelClientOptions, 'model' | 'megabytes' | 'main'>): SupervisedProcess {
  const { name, modelDir, profile } = model;
  // All users of the machine can read these arguments, so the hub is left out: its address can contain a password.
  const settings = JSON.stringify({ name, modelDir, profile });
  const args = [String(megabytes * MIB), settings];
  // The only option allows the process to free the memory that loading leaves behind.
  return startProcess(main, args, { execArgv: ['--expose-gc'] });
}

/** Describes how the process ended, to append to a message. */
export function describeEnd(end: ProcessEnd, { megabytes }: Pick<ModelClientOptions, 'megabytes'>): string {
  const memory = `: it may need more memory than MEMORY_EMBEDDING_MEGABYTES=${megabytes}, or than there is`;
  if ('error' in end) return ` (${oneLine(end.error)})`;
  return ` (${end.signal ?? `code ${end.code}`})${meansLackOfMemory(end.signal) ? memory : ''}`;
}
