import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import pg from 'pg';
import type { Asked } from './engine-thread.ts';
import { joinedBytes } from './joined-bytes.ts';
import { types } from './postgres.ts';
import type { ConnectionPool } from './postgres-pool.ts';

/** What the engine starts from. */
export interface EngineSetup {
  /** Folder of the database, or null to keep it in memory. */
  folder: string | null;
  /** A snapshot to start from, as `dump` makes it. Only in memory. */
  snapshot?: Blob;
}

/** The engine of the embedded database. Its one connection is lent to one after another. */
export interface Engine extends Pick<ConnectionPool, 'use'> {
  /** Calls `hear` with each notification of a channel that the connection listens to. Returns what ends that. */
  onNotification(hear: (notification: pg.Notification) => void): () => void;
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

/**
 * Starts the engine in a thread of its own, so that no statement holds up the event loop. It is reached by the protocol
 * and the driver of PostgreSQL. Where the thread ends unasked, as when it cannot write its log, so does the process: it
 * says why, and what it has acknowledged is stored.
 * @throws Error where the engine does not start
 */
export async function startEngine(setup: EngineSetup): Promise<Engine> {
  const thread = new Worker(new URL('./engine-thread.ts', import.meta.url), {
    workerData: setup,
    // It leaves much that is dead at once, which V8 would let grow to 48 MiB before it collects it.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  let mayEnd = false;
  thread.on('exit', () => {
    if (!mayEnd) process.exit(1);
  });
  try {
    await once(thread, 'message');
  } catch (error) {
    mayEnd = true;
    throw error;
  }
  thread.on('error', (error) =>
    writeSync(2, `The embedded database failed and ends the service: ${error}\n`),
  );

  const client = new pg.Client({
    stream: () => new ThreadStream(thread) as unknown as Socket,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    types,
    pipeline: true,
  });
  await client.connect();
  const loans = new PQueue({ concurrency: 1 });
  // Whoever waits for an answer keeps the process alive; a database that is only open does not.
  thread.unref();
  loans.on('active', () => thread.ref());
  loans.on('idle', () => thread.unref());

  let closing: Promise<void> | null = null;
  const close = async () => {
    await loans.onIdle();
    mayEnd = true;
    thread.ref();
    const ended = once(thread, 'exit');
    thread.postMessage('close' satisfies Asked);
    await ended;
  };

  return {
    use: (fn) => {
      if (closing !== null) return Promise.reject(new Error('the embedded database is closed'));
      return loans.add(() => fn(client, () => undefined));
    },
    onNotification: (hear) => {
      client.on('notification', hear);
      return () => client.off('notification', hear);
    },
    dump: () =>
      loans.add(async () => {
        thread.postMessage('dump' satisfies Asked);
        const [dump] = (await once(thread, 'message')) as [Blob];
        return dump;
      }),
    close: () => (closing ??= close()),
  };
}
