import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import pg from 'pg';
import type { Asked, EngineSetup } from './engine-messages.ts';
import { joinedBytes } from './joined-bytes.ts';
import { types } from './postgres.ts';
import type { ConnectionPool } from './postgres-pool.ts';

/** The engine of the embedded database. Its one connection is used by one after another. */
export interface Engine extends Pick<ConnectionPool, 'use'> {
  /** Calls `listener` with each notification that the connection receives. Returns a function that ends that. */
  onNotification(listener: (notification: pg.Notification) => void): () => void;
  /** All its files, as a tar archive. */
  dump(): Promise<Blob>;
  /** Closes it when all that was asked before is done. Closing twice is fine. */
  close(): Promise<void>;
}

/** The connection to the thread, as the driver sees a socket: whole messages of the protocol each way. */
class ThreadStream extends Duplex {
  readonly #thread: Worker;

  constructor(thread: Worker) {
    super();
    this.#thread = thread;
    thread.on('message', (answer: unknown) => {
      if (answer instanceof Uint8Array) this.push(Buffer.from(answer.buffer));
    });
  }

  // What the driver asks of a socket.
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

/** Ends the process, with a line that says why. */
function fail(error: unknown): never {
  writeSync(2, `The embedded database failed and ends the service: ${String(error)}\n`);
  process.exit(1);
}

/** Until the thread says that it can be asked. */
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
 * Starts the engine in a thread of its own, so that no statement blocks the event loop. It is reached by the protocol and
 * the driver of PostgreSQL. When the thread ends unexpectedly, for example because it cannot write its log, the process
 * ends too: what it has acknowledged is stored.
 * @throws Error where the engine does not start
 */
export async function startEngine(setup: EngineSetup): Promise<Engine> {
  const thread = new Worker(new URL('./engine-thread.ts', import.meta.url), {
    workerData: setup,
    // It leaves much that is dead at once, which V8 would let grow to 48 MiB before it collects it.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  await started(thread);
  let isClosing = false;
  thread.on('error', fail);
  thread.on('exit', () => {
    if (!isClosing) process.exit(1);
  });

  const client = new pg.Client({
    stream: () => new ThreadStream(thread) as unknown as Socket,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types,
    pipeline: true,
  });
  // The protocol is out of step: no later answer could be trusted.
  client.on('error', fail);
  try {
    await client.connect();
  } catch (error) {
    isClosing = true;
    await thread.terminate();
    throw error;
  }
  const queue = new PQueue({ concurrency: 1 });
  // A statement that runs keeps the process alive; a database that is only open does not.
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
    return queue.add(run);
  };

  return {
    use: (fn) => inTurn(() => fn(client, () => undefined)),
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
