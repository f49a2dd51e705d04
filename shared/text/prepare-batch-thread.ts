import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { Turns } from '../resources/turns.ts';
import {
  type ChunkInput,
  countInSteps,
  type Portion,
  prepareInPortions,
  TooManyChunksError,
} from './prepared-chunks.ts';

/** A batch to be prepared, and where its chunks go. */
export interface ThreadTask {
  teamId: string;
  inputs: readonly ChunkInput[];
  /** Takes portions, and says when it has taken one; closed where nobody wants them any longer. */
  port: MessagePort;
}

/** How it ended: errors lose their class between threads. */
export type ThreadOutcome = 'prepared' | 'too_many_chunks' | 'unwanted';

const turns = new Turns();

/** What of a portion is handed over and not copied: here, copies would pile up until V8 collects them. */
function buffersOf({ chunks }: Portion): ArrayBuffer[] {
  return chunks.flatMap(({ terms: { keys, dims, weights } }) => [keys.buffer, dims.buffer, weights.buffer]);
}

/**
 * The thread's side of `prepareBatch`: a portion at a time, by turns with the other tasks of the thread. That there are
 * too many chunks is found before the first portion, for what is made of portions as they come.
 */
export default async function prepare({ teamId, inputs, port }: ThreadTask): Promise<ThreadOutcome> {
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  /** The next step of the work, in a turn of its own. */
  const step = async <T, R>(steps: Iterator<T, R>) => {
    await turns.take(teamId);
    try {
      closed.signal.throwIfAborted();
      return steps.next();
    } finally {
      turns.release();
    }
  };
  try {
    const counting = countInSteps(inputs);
    while (!(await step(counting)).done);
    const portions = prepareInPortions(teamId, inputs);
    while (true) {
      const portion = await step(portions);
      if (portion.done) return 'prepared';
      port.postMessage(portion.value, buffersOf(portion.value));
      // One at a time: who takes them has others to serve.
      await once(port, 'message', { signal: closed.signal });
    }
  } catch (error) {
    if (error instanceof TooManyChunksError) return 'too_many_chunks';
    if (closed.signal.aborted) return 'unwanted';
    throw error;
  } finally {
    port.close();
  }
}
