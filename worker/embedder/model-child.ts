import {
  meansLackOfMemory,
  type ProcessEnd,
  type SupervisedProcess,
  startProcess,
} from '../supervised-process.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { oneLine } from './model-files.ts';

const MIB = 1024 * 1024;
/**
 * Settings of glibc's allocator; other C libraries ignore them. By default, glibc raises its threshold when a large block is
 * freed, and then keeps such blocks. The blocks into which the file is read would stay in memory after the load: 1.4 GB instead
 * of 1.1 for a file of 560 MB. Fixed thresholds return them to the system. The second one is that of the other processes.
 */
const ALLOCATION = { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '2097152' };
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
  const { name, modelDir, profile, threads } = model;
  // All users of the machine can read these arguments, so the hub is left out: its address can contain a password.
  const settings = JSON.stringify({ name, modelDir, profile, threads });
  const args = [String(megabytes * MIB), settings];
  return startProcess(main, args, { execArgv: [], env: ALLOCATION });
}

/** Describes how the process ended, to append to a message. */
export function describeEnd(end: ProcessEnd, { megabytes }: Pick<ModelClientOptions, 'megabytes'>): string {
  const memory = `: it may need more memory than MEMORY_EMBEDDING_MEGABYTES=${megabytes}, or than there is`;
  if ('error' in end) return ` (${oneLine(end.error)})`;
  return ` (${end.signal ?? `code ${end.code}`})${meansLackOfMemory(end.signal) ? memory : ''}`;
}
