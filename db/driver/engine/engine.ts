import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import pg from 'pg';
import type { ConnectionPool } from '../postgres-pool.ts';
import { types } from '../wire-format.ts';
import { type Asked, type EngineSetup, joinedBytes } from './messages.ts';

/** The engine of the embedded database. Callers use its one connection one after another. */
export interface Engine extends Pick<ConnectionPool, 'use'> {
  /** Calls `listener` with each notification of the connection. Returns a function that stops this. */
  onNotification(listener: (notification: pg.Notification) => void): () => void;
  /** Returns all files of the database as a tar archive. */
  dump(): Promise<Blob>;
  /** Closes the engine after all earlier requests. A second call has no effect. */
  close(): Promise<void>;
}

/** The connection to the thread, in the form of a socket for the driver. It passes whole messages of the protocol. */
class ThreadStream extends Duplex {
  readonly #thread: Worker;

  constructor(thread: Worker) {
    super();
    this.#thread = thread;
    thread.on('message', (answer: unknown) => {
      if (answer instanceof Uint8Array) this.push(Buffer.from(answer.buffer));
    });
  }

  // Methods of a socket that the driver calls.
  connect(): void {
    process.nextTick(() => this.emit('connect'));
  }
  setNoDelay(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, encoding: BufferEncoding, done: () => void): void {
    this._writev([{ chunk, encoding }], done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: () => void): void {
    const messages = joinedBytes(chunks.map(({ chunk }) => chunk));
    this.#thread.postMessage(messages satisfies Asked, [messages.buffer]);
    done();
  }
}

/** Writes the reason to stderr and ends the process. */
function fail(error: unknown): never {
  writeSync(2, `The embedded database failed and ends the service: ${String(error)}\n`);
  process.exit(1);
}

/** Resolves when the thread is ready. */
function started(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    thread.once('message', () => resolve());
    const refuse = (cause?: unknown) => {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      reject(new Error(`the embedded database did not start${why}`, { cause }));
    };
    thread.once('error', refuse);
    thread.once('exit', () => refuse());
  });
}

/**
 * Starts the engine in its own thread, so that no statement blocks the event loop. The driver of PostgreSQL talks to it
 * in PostgreSQL's protocol. If the thread ends unexpectedly, for example because it cannot write its log, the process
 * ends too. No acknowledged change is lost.
 * @throws Error if the engine does not start
 */
export async function startEngine(setup: EngineSetup): Promise<Engine> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: setup,
    // The thread makes much short-lived garbage. By default V8 would let it grow to 48 MiB before it collects it.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  await started(thread);
  let isClosing = false;
  thread.on('error', fail);
  thread.on('exit', (code) => {
    if (!isClosing) fail(`its thread ended with the exit code ${code}`);
  });

  const client = new pg.Client({
    stream: () => new ThreadStream(thread) as unknown as Socket,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types,
    pipeline: true,
  });
  // After an error of the protocol, later answers could belong to other statements.
  client.on('error', fail);
  try {
    await client.connect();
  } catch (error) {
    isClosing = true;
    await thread.terminate();
    throw error;
  }
  const queue = new PQueue({ concurrency: 1 });
  // A running statement keeps the process alive. An open database alone does not.
  thread.unref();
  queue.on('active', () => thread.ref());
  queue.on('idle', () => thread.unref());

  let closing: Promise<void> | null = null;
  const close = async () => {
    await queue.onIdle();
    isClosing = true;
    thread.ref();
    const ended = once(thread, 'exit');
    thread.postMessage('close' satisfies Asked);
    await ended;
  };
  const inTurn = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closing !== null) throw new Error('the embedded database is closed');
    // Otherwise it would run in the context of the caller before it, and belong to that caller's trace.
    return queue.add(AsyncLocalStorage.bind(run));
  };

  return {
    use: (fn) =>
      inTurn(async () => {
        let isUsable = true;
        try {
          return await fn(client, () => {
            isUsable = false;
          });
        } finally {
          // The only connection cannot be replaced. What was left open on it must not reach the next statement.
          if (!isUsable) await client.query('rollback').catch(() => undefined);
        }
      }),
    onNotification: (listener) => {
      client.on('notification', listener);
      return () => client.off('notification', listener);
    },
    dump: () =>
      inTurn(async () => {
        thread.postMessage('dump' satisfies Asked);
        const [dump] = (await once(thread, 'message')) as [Blob];
        return dump;
      }),
    close: () => (closing ??= close()),
  };
}
