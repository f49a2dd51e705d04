import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { Turns } from '../../resources/async.ts';
import {
  type ChunkInput,
  countInSteps,
  type Portion,
  prepareInPortions,
  TooManyChunksError,
} from '../prepared-chunks.ts';

/** A batch to prepare, and the port that receives its chunks. */
export interface ThreadTask {
  teamId: string;
  inputs: readonly ChunkInput[];
  /**
   * Receives each portion, and answers with a message when it is ready for the next. The receiver closes it to stop
   * the work.
   */
  port: MessagePort;
}

/** The result of a task. It is a text because errors lose their class between threads. */
export type ThreadOutcome = 'prepared' | 'too_many_chunks' | 'unwanted';

const turns = new Turns();

/**
 * The buffers of a portion to transfer, not to copy. With copies, the originals would stay in memory until V8
 * collects them.
 */
function buffersOf({ chunks }: Portion): ArrayBuffer[] {
  return chunks.flatMap(({ terms: { keys, dims, weights }, sketch }) => [
    keys.buffer,
    dims.buffer,
    weights.buffer,
    sketch.bins.buffer,
  ]);
}

/**
 * The part of `prepareBatch` that runs in the thread. Makes one portion at a time, in turns with the other tasks of
 * the thread. Counts the chunks before the first portion, because receivers use portions as they arrive: too many
 * chunks must be found before that.
 */
export default async function prepare({ teamId, inputs, port }: ThreadTask): Promise<ThreadOutcome> {
  const closed = new AbortController();
  port.once('close', () => closed.abort());
  /** Executes the next step of the work in its own turn. */
  const step = async <T, R>(steps: Iterator<T, R>) => {
    await turns.acquire(teamId);
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
      // One portion at a time, because the receiver also serves other requests.
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
