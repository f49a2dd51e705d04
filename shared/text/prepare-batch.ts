import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { SLICE_LENGTH } from '../resources/async.ts';
import type { SoleReference } from '../resources/process.ts';
import {
  type ChunkInput,
  type Portion,
  type PreparedChunk,
  prepareInPortions,
  TooManyChunksError,
} from './prepared-chunks.ts';
import type { ThreadOutcome, ThreadTask } from './threads/prepare-batch-thread.ts';
import { runInThread } from './threads/thread-pool.ts';

/**
 * Work up to this much is done in the caller's thread, in characters of plain English: about 20 ms. Starting another
 * thread takes about as long.
 */
const INLINE_WORK = SLICE_LENGTH;
/** The additional cost of a line break: a heading can follow it, and a heading begins a chunk. */
const LINE_WORK = 20;
/** The cost of a character beyond ASCII: in scripts without spaces, every pair of characters is a term. */
const WIDE_WORK = 4;

/** The part that runs in a thread. */
const PREPARE = new URL('./threads/prepare-batch-thread.ts', import.meta.url);

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Cuts texts and makes the terms of their chunks. Pass all inputs of a request together, because their total size
 * decides where they are prepared: much work is done in a thread, which Teams share in turns. The event loop turns in
 * both cases.
 * @param signal aborted when the connection of the request closes; the work then stops
 * @throws TooManyChunksError if all inputs together have more chunks than one source can have
 */
export async function prepareBatch(
  teamId: string,
  inputs: readonly ChunkInput[],
  signal?: AbortSignal,
): Promise<PreparedChunk[][]> {
  const prepared = inputs.map((): PreparedChunk[] => []);
  const portions = isLittleWork(inputs)
    ? portionsInTurns(teamId, inputs)
    : portionsFromThread(teamId, () => inputs, signal);
  for await (const { chunks, inputs: places } of whileConnected(portions, signal)) {
    for (const [index, chunk] of chunks.entries()) prepared[places[index] ?? 0]?.push(chunk);
  }
  return prepared;
}

/** The chunks of one input: an array if it is little work; otherwise portions, which can be iterated only once. */
export type PreparedSource = readonly PreparedChunk[] | AsyncIterable<readonly PreparedChunk[]>;

/**
 * Like `prepareBatch`, for one input. A large input is prepared while the result is iterated, one portion ahead,
 * because all its chunks together need many times its memory. If there are too many chunks, the iteration fails
 * before the first portion. Ending the iteration early stops the work.
 * @param input is dropped when the work on its chunks begins; a thread has its own copy
 */
export async function prepareSource(
  teamId: string,
  input: SoleReference<ChunkInput>,
  signal?: AbortSignal,
): Promise<PreparedSource> {
  assertConnected(signal);
  if (!isLittleWork([input.value])) {
    const portions = () => portionsFromThread(teamId, () => [input.drop()], signal);
    return { [Symbol.asyncIterator]: () => chunksOf(whileConnected(portions(), signal)) };
  }
  const [prepared = []] = await prepareBatch(teamId, [input.drop()], signal);
  return prepared;
}

async function* chunksOf(portions: AsyncIterable<Portion>): AsyncGenerator<PreparedChunk[], void> {
  for await (const { chunks } of portions) if (chunks.length > 0) yield chunks;
}

/** Passes on portions; throws if the connection of the request has closed. */
async function* whileConnected(
  portions: AsyncIterable<Portion>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Portion, void> {
  assertConnected(signal);
  for await (const portion of portions) {
    assertConnected(signal);
    yield portion;
  }
  assertConnected(signal);
}

/** Makes portions in the thread of the caller. */
async function* portionsInTurns(
  teamId: string,
  inputs: readonly ChunkInput[],
): AsyncGenerator<Portion, void> {
  for (const portion of prepareInPortions(teamId, inputs)) {
    yield portion;
    await nextTurn();
  }
}

/** Throws if the connection of the request has closed. Nobody receives the error, and it is no fault of the service. */
function assertConnected(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ServiceError('invalid_request', 'The connection was closed before the answer');
}

/**
 * Makes portions in a thread. The thread makes the next portion while the caller uses the last one, and then waits
 * until it is requested.
 * @param inputs returns the inputs when they are sent to the thread; this function does not keep them
 */
async function* portionsFromThread(
  teamId: string,
  inputs: () => readonly ChunkInput[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Portion, void> {
  const { port1: own, port2: port } = new MessageChannel();
  let arrived: Portion | undefined;
  let hasEnded = false;
  let wake: () => void = () => undefined;
  own.on('message', (portion: Portion) => {
    arrived = portion;
    wake();
  });
  // The thread stops when its port is closed.
  const stop = () => own.close();
  signal?.addEventListener('abort', stop, { once: true });
  let ended: Promise<void> = Promise.resolve();
  try {
    // Not in a variable, which would keep the inputs in memory until the thread ends.
    const outcome = runInThread<ThreadOutcome>(
      PREPARE,
      { teamId, inputs: inputs(), port } satisfies ThreadTask,
      [port],
    );
    ended = outcome
      .catch(() => undefined)
      .then(() => {
        hasEnded = true;
        wake();
      });
    while (true) {
      // Not `Promise.race` with the outcome, which would keep every portion in memory until the thread ends.
      if (arrived === undefined && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const portion = arrived;
      if (portion === undefined) break;
      arrived = undefined;
      own.postMessage('next');
      yield portion;
    }
    if ((await outcome) === 'too_many_chunks') throw new TooManyChunksError();
  } finally {
    signal?.removeEventListener('abort', stop);
    own.close();
    await ended;
  }
}

/** Whether the work is so little that it can be done in the caller's thread. */
function isLittleWork(inputs: readonly ChunkInput[]): boolean {
  let work = 0;
  for (const text of textsOf(inputs)) {
    // The length first, because reading the characters of long texts takes time too.
    if (work + text.length > INLINE_WORK) return false;
    work += workOf(text);
    if (work > INLINE_WORK) return false;
  }
  return true;
}

function* textsOf(inputs: readonly ChunkInput[]): Generator<string> {
  for (const input of inputs) {
    if ('text' in input) yield input.text;
    else if ('chunks' in input) yield* input.chunks;
    else for (const { text } of input.parts) yield text;
  }
}

/** A text is normalized in windows of this many characters, because long runs of marks are slow to sort. */
const WINDOW = 256;

/** The work to cut a text, in characters of plain English. Compatibility characters count as their normalized form. */
function workOf(text: string): number {
  let work = text.split(/[\r\n]/).length * LINE_WORK;
  if (!NOT_ASCII.test(text)) return work + text.length;
  for (let from = 0; from < text.length && work <= INLINE_WORK; from += WINDOW) {
    work += text.slice(from, from + WINDOW).normalize('NFKC').length * WIDE_WORK;
  }
  return work;
}
