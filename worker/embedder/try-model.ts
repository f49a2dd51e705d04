import { setTimeout as sleep } from 'node:timers/promises';
import { meansLackOfMemory, type ProcessEnd } from '../supervised-process.ts';
import { describeEnd, startModelProcess } from './model-child.ts';
import { LOAD_MS, tooLarge } from './model-client.ts';
import type { ModelClientOptions } from './model-client-options.ts';
import { FULL_SHARE } from './model-needs.ts';
import type { ModelAnswer } from './model-process.ts';

const ANOTHER_MODEL = 'set another MEMORY_EMBEDDING_MODEL';
const MORE_MEMORY = 'raise MEMORY_EMBEDDING_MEGABYTES, or use a machine with more memory';

const adviceOn = (end: ProcessEnd) =>
  'signal' in end && meansLackOfMemory(end.signal) ? MORE_MEMORY : ANOTHER_MODEL;

/**
 * Loads a model once, in a process with the limits that it has in the worker.
 * @returns the memory of the process after that, in bytes
 * @throws Error with one line: what is wrong, and what to do
 */
export async function tryModel(options: Omit<ModelClientOptions, 'logger'>): Promise<number> {
  const { megabytes, loadMs = LOAD_MS } = options;
  const { child, ended } = startModelProcess(options);
  const answer = new Promise<ModelAnswer>((resolve) => child.once('message', resolve));
  const end = ended.then((how) => ({
    failed: `its process ended while it loaded${describeEnd(how, options)}: ${adviceOn(how)}`,
  }));
  const late = new AbortController();
  const tooLate = `loading took longer than ${loadMs / 1000} seconds: use a faster machine, or ${ANOTHER_MODEL}`;
  const timeout = sleep(loadMs, { failed: tooLate }, late);
  const first = await Promise.race([answer, end, timeout]);
  late.abort();
  timeout.catch(() => undefined);
  child.kill('SIGKILL');
  await ended;
  if ('failed' in first) throw new Error(first.failed);
  const bytes = 'rssBytes' in first ? first.rssBytes : 0;
  if (bytes > megabytes * 2 ** 20 * FULL_SHARE)
    throw new Error(`${tooLarge(bytes, megabytes)}: ${MORE_MEMORY}`);
  return bytes;
}
