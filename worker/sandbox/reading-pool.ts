import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import { inStep } from '../../shared/tracing/spans.ts';
import { sendTo } from '../supervised-process.ts';
import { type Confinement, type ConfinementName, findConfinement } from './confinement.ts';
import {
  MIB,
  NotBegunError,
  portionsOf,
  type Reader,
  type ReadHead,
  type Reading,
  type ReadingBounds,
  ReadingInterruptedError,
  readWith,
  startReader,
  untilReady,
} from './reader.ts';
import { EndedError } from './reading-faults.ts';
import type { DocumentHead, ReadingRequest, ReadingTask } from './reading-process.ts';

/** A document that was read. If it is large, its chunks stay in its process while it is used. */
export interface HeldDocument extends DocumentHead {
  /** The chunks of a large document are requested in portions. */
  chunks: PreparedSource;
}

/** Reads and cuts files in separate processes. A process is reused for the next file, and replaced when it ends. */
export interface ReadingPool {
  /** The restrictions of the operating system for the processes. */
  readonly confinement: Promise<Confinement>;
  /**
   * Reads a file, and calls `use` with its document. A large document stays in its process until `use` has ended.
   * @returns what `use` returns
   * @throws FileFault if the extractor finds a fault, or reading took too much time or memory
   * @throws ReadingInterruptedError
   */
  read<T>(task: ReadingTask, reading: Reading, use: (document: HeldDocument) => Promise<T>): Promise<T>;
  /** Ends the processes. Closing twice is fine. */
  close(): Promise<void>;
}

/** Options that differ from the defaults. */
export interface ReadingOptions {
  /** The module that exports `EXTRACTORS`. The process can read all files in its folder. */
  extractors?: URL;
  /** An idle process is ended after this, in milliseconds. */
  idleMs?: number;
  /** The confinements to try, instead of all. */
  confinements?: readonly ConfinementName[];
}

/** A process is replaced after this many files, so that memory leaks of libraries do not accumulate. */
const MAX_FILES_PER_PROCESS = 200;
/** A process that uses more than this share of its limit after a file is replaced, to leave room for the next file. */
const HELD_SHARE = 0.25;
const IDLE_MS = 30_000;
/** A file is retried if its process ended before reading, for example by a signal to the whole process group. */
const TRIES = 3;
const EXTRACTORS = new URL('../extract/registry.ts', import.meta.url);

/** A pool of as many processes as files are read at once. */
export function openReadingPool(
  bounds: ReadingBounds,
  { extractors = EXTRACTORS, idleMs = IDLE_MS, confinements }: ReadingOptions = {},
): ReadingPool {
  const confinement = findConfinement(confinements);
  // Each call of `read` awaits it and reports the error.
  confinement.catch(() => undefined);
  const all = new Set<Reader>();
  const free: Reader[] = [];
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;

  const dismiss = (reader: Reader) => {
    const index = free.indexOf(reader);
    if (index >= 0) free.splice(index, 1);
    if (reader.idle !== null) clearTimeout(reader.idle);
    // SIGKILL, because code that a file left in the process could ignore other signals. There is nothing to save.
    reader.child.kill('SIGKILL');
  };
  const acquire = (fresh: boolean, found: Confinement): Reader => {
    const reader = (fresh ? undefined : free.pop()) ?? startReader(bounds, extractors, found);
    if (reader.idle !== null) clearTimeout(reader.idle);
    reader.idle = null;
    if (!all.has(reader)) {
      all.add(reader);
      void reader.ended.then(() => {
        dismiss(reader);
        all.delete(reader);
      });
    }
    return reader;
  };
  const release = (reader: Reader) => {
    reader.files += 1;
    if (reader.child.killed || !all.has(reader)) return;
    if (reader.files >= MAX_FILES_PER_PROCESS || reader.rssBytes > bounds.megabytes * MIB * HELD_SHARE) {
      dismiss(reader);
      return;
    }
    reader.idle = setTimeout(() => dismiss(reader), idleMs);
    reader.idle.unref();
    free.push(reader);
  };

  /** Reads a file with a process. The caller must give the process back. */
  const readBySome = async (
    task: ReadingTask,
    reading: Reading,
  ): Promise<{ reader: Reader; document: ReadHead }> => {
    const found = await confinement;
    for (let tried = 1; ; tried += 1) {
      if (isClosed()) throw new ReadingInterruptedError('the pool is closed');
      // The second attempt uses a new process, so that only this file can be at fault.
      const reader = acquire(tried > 1, found);
      try {
        await untilReady(reader, reading.signal);
        return { reader, document: await readWith(reader, task, { bounds, ...reading }) };
      } catch (error) {
        // Computed before `release`, which counts this file.
        const innocent = error instanceof NotBegunError || (error instanceof EndedError && reader.files > 0);
        release(reader);
        if (isClosed() || reading.signal.aborted)
          throw new ReadingInterruptedError('reading was interrupted');
        if (!innocent || tried === TRIES) throw error;
      }
    }
  };

  return {
    confinement,
    read: async (task, reading, use) => {
      const { reader, document } = await inStep(
        () => 'read file',
        { 'memory.media_type': task.mediaType },
        () => readBySome(task, reading),
      );
      const { first, ...head } = document;
      if (first.length === head.chunkCount) {
        release(reader);
        return use({ ...head, chunks: first });
      }
      const file = reader.files;
      const done = new AbortController();
      const signal = AbortSignal.any([reading.signal, closing.signal, done.signal]);
      const chunks = { [Symbol.asyncIterator]: () => portionsOf(reader, file, document, signal) };
      try {
        return await use({ ...head, chunks });
      } finally {
        // From now on the process can hold another document.
        done.abort();
        sendTo<ReadingRequest>(reader, { file, done: true });
        release(reader);
      }
    },
    close: async () => {
      closing.abort();
      const readers = [...all];
      readers.forEach(dismiss);
      await Promise.all(readers.map(({ ended }) => ended));
    },
  };
}
