import type { PreparedSource } from '../../shared/text/prepare-batch.ts';
import { type Confinement, type ConfinementName, findConfinement } from './confinement.ts';
import {
  ask,
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
import type { DocumentHead, ReadingTask } from './reading-process.ts';

/** A document that was read. If it is large, its process holds it while it is used. */
export interface HeldDocument extends DocumentHead {
  /** Of a large one portions, asked for one by one. */
  chunks: PreparedSource;
}

/** Reads and cuts files in processes of their own, which are kept for the next file and replaced when a file ends one. */
export interface ReadingPool {
  /** What the operating system forbids the processes. */
  readonly confinement: Promise<Confinement>;
  /**
   * Reads a file, and gives its document to `use`. Large documents are held by their process until `use` has ended.
   * @returns what `use` returns
   * @throws FileFault for a fault of the file: its extractor's, or that it took too long or too much memory
   * @throws ReadingInterruptedError
   */
  read<T>(task: ReadingTask, reading: Reading, use: (document: HeldDocument) => Promise<T>): Promise<T>;
  /** Ends the processes. Closing twice is fine. */
  close(): Promise<void>;
}

/** How a pool reads where it is not as usual. */
export interface ReadingOptions {
  /** The module that exports `EXTRACTORS`. The process may read what lies in its folder. */
  extractors?: URL;
  /** An idle process is ended after this, in milliseconds. */
  idleMs?: number;
  /** The confinements to try, instead of everything that this machine might do. */
  confinements?: readonly ConfinementName[];
}

/** A process that has read so many files is replaced: what a library leaks must not add up. */
const FILES_A_PROCESS = 200;
/** One that holds more than this share of the bound after a file is replaced too: the next is to have it for itself. */
const HELD_SHARE = 0.25;
const IDLE_MS = 30_000;
/** A process that is told to end, by a signal to all of the group, may be gone before it begins. */
const TRIES = 3;
const EXTRACTORS = new URL('../extract/registry.ts', import.meta.url);

/** A pool of as many processes as files are read at once. */
export function openReadingPool(
  bounds: ReadingBounds,
  { extractors = EXTRACTORS, idleMs = IDLE_MS, confinements }: ReadingOptions = {},
): ReadingPool {
  const confinement = findConfinement(confinements);
  // Each reading fails with it.
  confinement.catch(() => undefined);
  const all = new Set<Reader>();
  const free: Reader[] = [];
  const closing = new AbortController();
  const isClosed = () => closing.signal.aborted;

  const dismiss = (reader: Reader) => {
    const place = free.indexOf(reader);
    if (place >= 0) free.splice(place, 1);
    if (reader.idle !== null) clearTimeout(reader.idle);
    // It has nothing to lose, and what a file left behind in it may keep it from hearing anything less.
    reader.child.kill('SIGKILL');
  };
  const take = (fresh: boolean, found: Confinement): Reader => {
    const reader = (fresh ? undefined : free.pop()) ?? startReader(bounds, extractors, found);
    if (reader.idle !== null) clearTimeout(reader.idle);
    reader.idle = null;
    if (!all.has(reader)) {
      all.add(reader);
      reader.child.on('exit', () => {
        dismiss(reader);
        all.delete(reader);
      });
    }
    return reader;
  };
  const giveBack = (reader: Reader) => {
    reader.files += 1;
    if (reader.child.killed || !all.has(reader)) return;
    if (reader.files >= FILES_A_PROCESS || reader.rssBytes > bounds.megabytes * MIB * HELD_SHARE) {
      dismiss(reader);
      return;
    }
    reader.idle = setTimeout(() => dismiss(reader), idleMs);
    reader.idle.unref();
    free.push(reader);
  };

  /** Has a process read a file. The caller gives the process back. */
  const readBySome = async (
    task: ReadingTask,
    reading: Reading,
  ): Promise<{ reader: Reader; document: ReadHead }> => {
    const found = await confinement;
    for (let tried = 1; ; tried += 1) {
      if (isClosed()) throw new ReadingInterruptedError('the pool is closed');
      // The second verdict is one on this file alone.
      const reader = take(tried > 1, found);
      try {
        await untilReady(reader, reading.signal);
        return { reader, document: await readWith(reader, task, { bounds, ...reading }) };
      } catch (error) {
        // Before the process is given back, which counts this file.
        const innocent = error instanceof NotBegunError || (error instanceof EndedError && reader.files > 0);
        giveBack(reader);
        if (isClosed() || reading.signal.aborted)
          throw new ReadingInterruptedError('reading was interrupted');
        if (!innocent || tried === TRIES) throw error;
      }
    }
  };

  return {
    confinement,
    read: async (task, reading, use) => {
      const { reader, document } = await readBySome(task, reading);
      const { first, ...head } = document;
      if (first.length === head.chunkCount) {
        giveBack(reader);
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
        ask(reader, { file, done: true });
        giveBack(reader);
      }
    },
    close: async () => {
      closing.abort();
      const ended = [...all].map(
        (reader) =>
          new Promise<void>((resolve) => {
            if (reader.child.exitCode !== null || reader.child.signalCode !== null) resolve();
            else reader.child.once('exit', () => resolve());
          }),
      );
      for (const reader of all) {
        reader.child.kill('SIGKILL');
        dismiss(reader);
      }
      await Promise.all(ended);
    },
  };
}
