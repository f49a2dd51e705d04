import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PreparedSource } from '../../shared/prepare-batch.ts';
import type { PreparedChunk } from '../../shared/prepared-chunks.ts';
import { type Confinement, type ConfinementName, commandOf, findConfinement } from './confinement.ts';
import { FileFault } from './extraction.ts';
import { watchMemory } from './memory-watch.ts';
import { EndedError, FAULTS } from './reading-faults.ts';
import type {
  DocumentHead,
  ReadingAnswer,
  ReadingProgress,
  ReadingRequest,
  ReadingTask,
} from './reading-process.ts';
import { secondsFor, type TimeBounds } from './reading-time.ts';

/** What one file may take. */
export interface ReadingBounds extends TimeBounds {
  megabytes: number;
}

/** The reading was interrupted: the worker stops, or the run gives way to others. Nothing is wrong with the file. */
export class ReadingInterruptedError extends Error {
  override name = 'ReadingInterruptedError';
}

/** The process did not begin the file, which has no part in that. */
class NotBegunError extends Error {
  override name = 'NotBegunError';
}

/** How a file is read. */
interface Reading {
  /** Hears how far it is. */
  tell: (progress: ReadingProgress) => void;
  /** Is called when a process begins to read it, once for each try. */
  begun?: () => void;
  /** Breaks it off. */
  signal: AbortSignal;
}

/** A document that was read. If it is large, its process holds it while it is used. */
export interface HeldDocument extends DocumentHead {
  /** Of a large one portions, asked for one by one. Each iteration begins with the first. */
  chunks: PreparedSource;
}

/** A document as its process tells of it: with the first of its chunks, which can be all. */
interface ReadHead extends DocumentHead {
  first: PreparedChunk[];
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

const MIB = 1024 * 1024;
/** A process that has read so many files is replaced: what a library leaks must not add up. */
const FILES_A_PROCESS = 200;
/** One that holds more than this share of the bound after a file is replaced too: the next is to have it for itself. */
const HELD_SHARE = 0.25;
const IDLE_MS = 30_000;
/** A process that is told to end, by a signal to all of the group, may be gone before it begins. */
const TRIES = 3;
/** One that is not ready by then will not be. */
const START_MS = 60_000;
/** A portion is there already and has only to be sent. */
const PORTION_MS = 60_000;

const MAIN = fileURLToPath(new URL('./reading-process.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/**
 * What the process may read of the disk: the code, and not settings and data that may lie beside it. Packages may
 * lie elsewhere, behind a link.
 */
const READABLE = [
  ...['worker/', 'shared/', 'node_modules/', 'package.json'].map((path) => join(ROOT, path)),
  realpathSync(join(ROOT, 'node_modules')),
];
const EXTRACTORS = new URL('./registry.ts', import.meta.url);

/** One process and what it is doing. */
interface Reader {
  child: ChildProcess;
  /** Rejects where the process does not start: that is no fault of any file. */
  ready: Promise<void>;
  files: number;
  /** What it held after the last of them. */
  rssBytes: number;
  idle: NodeJS.Timeout | null;
}

function start({ megabytes }: ReadingBounds, extractors: URL, { prefix, stdin }: Confinement): Reader {
  const { program, args } = commandOf(prefix(megabytes));
  const child = fork(MAIN, [extractors.href], {
    // Nothing of the service's own: a file that takes the process over finds no credential.
    env: {},
    execPath: program,
    // Threads, child processes, add-ons, WASI and the inspector are refused because no option allows them. SQLite is
    // left out because it opens files without asking the permission model.
    execArgv: [
      ...args,
      `--max-old-space-size=${megabytes}`,
      '--permission',
      ...[...READABLE, fileURLToPath(new URL('.', extractors))].map((folder) => `--allow-fs-read=${folder}`),
      '--no-experimental-sqlite',
      '--disable-sigusr1',
    ],
    stdio: [stdin, 'ignore', 'ignore', 'ipc'],
    // Bytes go over as bytes.
    serialization: 'advanced',
  });
  watchMemory(child, megabytes * MIB);
  const ready = new Promise<void>((resolve, reject) => {
    const fail = () => {
      clearTimeout(timer);
      reject(new NotBegunError('the process that reads files did not start'));
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    child.once('message', () => {
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', fail);
    // One that could not even be made has no exit. Without a listener a later error would end the worker.
    child.on('error', fail);
  });
  // Heard by whoever reads with it; nobody may by then.
  ready.catch(() => undefined);
  return { child, ready, files: 0, rssBytes: 0, idle: null };
}

/** Waits until the process may be asked, or is ended because no one wants it any more. */
async function untilReady({ child, ready }: Reader, signal: AbortSignal): Promise<void> {
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  try {
    await ready;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Why a process ended while it read, told by how: nobody else but the watch on its memory and the kernel kills it. */
function faultOf(signal: NodeJS.Signals | null, bounds: ReadingBounds): FileFault {
  // SIGABRT: the JavaScript heap is full.
  return signal === 'SIGKILL' || signal === 'SIGABRT' ? FAULTS.memory(bounds.megabytes) : FAULTS.crash();
}

/** A process that has just ended is told of by its exit, and does not hear this. */
function ask({ child }: Reader, request: ReadingRequest): void {
  child.send(request, () => undefined);
}

/** Has one process read one file. It is of no more use if this rejects with anything that ended it. */
function readWith(
  reader: Reader,
  task: ReadingTask,
  { bounds, tell, begun: onBegun, signal }: Reading & { bounds: ReadingBounds },
): Promise<ReadHead> {
  const { child, files: file } = reader;
  const seconds = secondsFor(task.content.byteLength, bounds);
  const first: PreparedChunk[] = [];
  let begun = false;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      child.off('message', hear);
      child.off('exit', exited);
      settle();
    };
    const kill = (reason: Error) => {
      child.kill('SIGKILL');
      end(() => reject(reason));
    };
    const interrupt = () => kill(new ReadingInterruptedError('reading was interrupted'));
    const exited = (_code: number | null, by: NodeJS.Signals | null) =>
      end(() =>
        reject(begun ? faultOf(by, bounds) : new NotBegunError('the process that reads files is gone')),
      );
    const hear = (answer: ReadingAnswer) => {
      if (!('file' in answer) || answer.file !== file) return;
      if (!begun) onBegun?.();
      begun = true;
      if ('progress' in answer) tell(answer.progress);
      if ('chunks' in answer) first.push(...answer.chunks);
      if (!('rssBytes' in answer)) return;
      reader.rssBytes = answer.rssBytes;
      if ('document' in answer) end(() => resolve({ ...answer.document, first }));
      else if ('fault' in answer) end(() => reject(new FileFault(answer.fault.code, answer.fault.message)));
      else kill(FAULTS.crash());
    };
    const tooLong = () =>
      kill(begun ? FAULTS.time(seconds) : new NotBegunError('the process that reads files is busy still'));
    const timer = setTimeout(tooLong, seconds * 1000);
    signal.addEventListener('abort', interrupt);
    child.on('message', hear);
    child.on('exit', exited);
    if (signal.aborted) interrupt();
    else ask(reader, { file, task });
  });
}

/**
 * The chunks of a document that a process holds, portion by portion.
 * @param file the number that it was sent with
 */
async function* portionsOf(
  reader: Reader,
  file: number,
  { first, chunkCount }: ReadHead,
  signal: AbortSignal,
): AsyncGenerator<PreparedChunk[], void> {
  yield first;
  for (let from = first.length; from < chunkCount; ) {
    const portion = await nextPortion(reader, { file, from }, signal);
    from += portion.length;
    yield portion;
  }
}

/**
 * @throws Error where the process has ended, or does not answer: that is no fault of the file, which it has read
 * @throws ReadingInterruptedError
 */
async function nextPortion(
  reader: Reader,
  request: { file: number; from: number },
  signal: AbortSignal,
): Promise<PreparedChunk[]> {
  const { child } = reader;
  const ended = new AbortController();
  const giveUp = AbortSignal.any([ended.signal, signal, AbortSignal.timeout(PORTION_MS)]);
  const end = () => ended.abort();
  child.once('exit', end);
  try {
    if (child.exitCode !== null || child.signalCode !== null) end();
    const answers = on(child, 'message', { signal: giveUp });
    ask(reader, request);
    for await (const [answer] of answers as AsyncIterable<[ReadingAnswer]>) {
      if ('chunks' in answer && answer.file === request.file) return answer.chunks;
    }
    throw new Error('unreachable: messages end by the signal alone');
  } catch (cause) {
    if (signal.aborted) throw new ReadingInterruptedError('reading was interrupted');
    // One that does not answer would not hear of the next file either.
    child.kill('SIGKILL');
    throw new Error('the process that read the file ended before its chunks were stored', { cause });
  } finally {
    child.off('exit', end);
  }
}

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
    const reader = (fresh ? undefined : free.pop()) ?? start(bounds, extractors, found);
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
