import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { ServiceError } from '../errors.ts';
import type { SoleReference } from '../resources/sole-reference.ts';
import type { ThreadOutcome, ThreadTask } from './prepare-batch-thread.ts';
import {
  type ChunkInput,
  type Portion,
  type PreparedChunk,
  prepareInPortions,
  TooManyChunksError,
} from './prepared-chunks.ts';

/**
 * What is made in the thread of the caller, in characters of plain English: about 20 ms. A thread of its own costs
 * about that much where none runs yet.
 */
const INLINE_WORK = 80_000;
/** What a line break costs beyond its character: it may begin a heading, and a heading a chunk. */
const LINE_WORK = 20;
/** What a character beyond ASCII costs: scripts without spaces make a term of every pair of characters. */
const WIDE_WORK = 4;

const NOT_ASCII = /[^\0-\x7f]/;

let pool: Piscina | null = null;

/** Threads that cut. They end when idle, and do not keep the process alive. */
function threads(): Piscina {
  const most = Math.max(1, availableParallelism() - 1);
  pool ??= new Piscina({
    filename: new URL('./prepare-batch-thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: most,
    // One thread takes many tasks, which share it by turns: a long one must not hold up the others.
    concurrentTasksPerWorker: 10_000,
    loadBalancer: (_task, workers) => {
      const [least] = [...workers].sort((a, b) => a.currentUsage - b.currentUsage);
      // None: a further thread is started.
      return least === undefined || (least.currentUsage > 0 && workers.length < most) ? null : least;
    },
    // Soon: an idle thread holds the texts that it cut until V8 collects them, and takes some 30 ms to start.
    idleTimeout: 2000,
    // What is made is handed on at once. V8 would let what is dead grow to 32 MiB before it collects it.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  return pool;
}

/**
 * Cuts texts and makes the terms of their chunks: all inputs of a request at once, so that how much it is is judged by
 * their sum. Much goes to a thread, which Teams share by turns. The event loop turns in either case.
 * @param signal of the request: nothing more is cut for one that is gone
 * @throws TooManyChunksError for more than one source can have, of all inputs together
 */
export async function prepareBatch(
  teamId: string,
  inputs: readonly ChunkInput[],
  signal?: AbortSignal,
): Promise<PreparedChunk[][]> {
  const prepared = inputs.map((): PreparedChunk[] => []);
  const portions = isLittle(inputs)
    ? portionsInTurns(teamId, inputs)
    : portionsFromThread(teamId, () => inputs, signal);
  for await (const { chunks, inputs: places } of whileWanted(portions, signal)) {
    for (const [index, chunk] of chunks.entries()) prepared[places[index] ?? 0]?.push(chunk);
  }
  return prepared;
}

/** Chunks of one input: all of them where that is little work, else portions, made when they are asked for, once. */
export type PreparedSource = readonly PreparedChunk[] | AsyncIterable<readonly PreparedChunk[]>;

/**
 * Like `prepareBatch`, for one input. A large input is prepared while the result is iterated, one portion ahead, because
 * all its chunks together take many times its memory. The iteration fails before the first portion if there are too many
 * chunks. Leaving it stops its work.
 * @param input is dropped when its chunks are made; a thread that makes them has a copy
 */
export async function prepareSource(
  teamId: string,
  input: SoleReference<ChunkInput>,
  signal?: AbortSignal,
): Promise<PreparedSource> {
  assertWanted(signal);
  if (!isLittle([input.value])) {
    const portions = () => portionsFromThread(teamId, () => [input.drop()], signal);
    return { [Symbol.asyncIterator]: () => chunksOf(whileWanted(portions(), signal)) };
  }
  const [prepared = []] = await prepareBatch(teamId, [input.drop()], signal);
  return prepared;
}

async function* chunksOf(portions: AsyncIterable<Portion>): AsyncGenerator<PreparedChunk[], void> {
  for await (const { chunks } of portions) if (chunks.length > 0) yield chunks;
}

/** Breaks off, with an error, when the request is gone. */
async function* whileWanted(
  portions: AsyncIterable<Portion>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Portion, void> {
  assertWanted(signal);
  for await (const portion of portions) {
    assertWanted(signal);
    yield portion;
  }
  assertWanted(signal);
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

/** Refuses to go on for a request that is gone. Its answer reaches nobody, so it is no fault of the service. */
function assertWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ServiceError('invalid_request', 'The connection was closed before the answer');
}

/**
 * Portions that a thread makes. It makes the next one while the last is used, and waits until that is asked for.
 * @param inputs is called to send them to the thread; they are not kept here
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
  // The thread finds its port closed, and stops.
  const stop = () => own.close();
  signal?.addEventListener('abort', stop, { once: true });
  let ended: Promise<void> = Promise.resolve();
  try {
    const outcome = threads().run({ teamId, inputs: inputs(), port } satisfies ThreadTask, {
      transferList: [port],
    }) as Promise<ThreadOutcome>;
    ended = outcome
      .catch(() => undefined)
      .then(() => {
        hasEnded = true;
        wake();
      });
    while (true) {
      // Not a race with the outcome: that would keep every portion until the thread ends.
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

/** Whether so little is to be made that no one would notice. */
function isLittle(inputs: readonly ChunkInput[]): boolean {
  let work = 0;
  for (const text of textsOf(inputs)) {
    // By the length first: to look at the characters of a long text is work as well.
    if (text.length > INLINE_WORK) return false;
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

/** A text is brought to its compatibility form in windows of so many characters: marks without end are slow to order. */
const WINDOW = 256;

/** How much a text is to cut, in characters of plain English. Compatibility characters count for what they stand for. */
function workOf(text: string): number {
  let work = text.split(/[\r\n]/).length * LINE_WORK;
  if (!NOT_ASCII.test(text)) return work + text.length;
  for (let from = 0; from < text.length && work <= INLINE_WORK; from += WINDOW) {
    work += text.slice(from, from + WINDOW).normalize('NFKC').length * WIDE_WORK;
  }
  return work;
}
