import { on } from 'node:events';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storedEncoding } from '../../shared/schemas/text-encoding.ts';
import { storedUnread } from '../../shared/schemas/unread.ts';
import type { PreparedChunk } from '../../shared/text/prepared-chunks.ts';
import { FileFault, SecretFault } from '../extract/extraction.ts';
import {
  hasStarted,
  meansLackOfMemory,
  type SupervisedProcess,
  sendTo,
  startProcess,
} from '../supervised-process.ts';
import { type Confinement, commandOf } from './confinement.ts';
import { watchMemory } from './memory-watch.ts';
import { countDown, FAULTS, secondsFor, type TimeBounds } from './reading-faults.ts';
import type {
  DocumentHead,
  ReadingAnswer,
  ReadingProgress,
  ReadingRequest,
  ReadingTask,
} from './reading-process.ts';

/* The parent's side of one process that reads files: starts it, sends it a file, and asks it for chunks. */

/** The limits for reading one file. */
export interface ReadingBounds extends TimeBounds {
  megabytes: number;
}

/** Reading was interrupted, because the worker stops or the run yields to others. The file is not at fault. */
export class ReadingInterruptedError extends Error {
  override name = 'ReadingInterruptedError';
  /** Deletes the chunks that have been stored. To be called after the job was released, because it can take seconds. */
  readonly deleteStaged: () => Promise<void>;
  constructor(message: string, deleteStaged: () => Promise<void> = async () => undefined) {
    super(message);
    this.deleteStaged = deleteStaged;
  }
}

/** The process did not begin to read the file. The file is not at fault. */
export class NotBegunError extends Error {
  override name = 'NotBegunError';
}

/** The callbacks and the signal for reading a file. */
export interface Reading {
  /** Is called with the progress. */
  report: (progress: ReadingProgress) => void;
  /** Is called when a process begins to read it, once for each try. */
  begun?: () => void;
  /** Interrupts reading. */
  signal: AbortSignal;
}

/** A document as its process reports it, with the first portion of its chunks, which can be all of them. */
export interface ReadHead extends DocumentHead {
  first: PreparedChunk[];
}

export const MIB = 1024 * 1024;
/** The time limit for starting a process. */
const START_MS = 60_000;
/** The time limit for a portion, which exists already and only has to be sent. */
const PORTION_MS = 60_000;

const MAIN = new URL('./reading-process.ts', import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/**
 * The paths that the process can read: only the code, and not settings or data next to it. `node_modules` can be a
 * symbolic link, so its real path is included.
 */
const READABLE = [
  ...['worker/', 'shared/', 'node_modules/', 'package.json'].map((path) => join(ROOT, path)),
  realpathSync(join(ROOT, 'node_modules')),
];
/** One process and its state. */
export interface Reader extends SupervisedProcess {
  /** Whether the process started. If not, no file is at fault. */
  ready: Promise<boolean>;
  files: number;
  /** Its memory after the last file, in bytes. */
  rssBytes: number;
  idle: NodeJS.Timeout | null;
}

export function startReader(
  { megabytes }: ReadingBounds,
  extractors: URL,
  { prefix, stdin }: Confinement,
): Reader {
  const { program, args } = commandOf(prefix(megabytes));
  // Threads, child processes, add-ons, WASI and the inspector are refused because no option allows them. SQLite is
  // left out because it opens files without asking the permission model.
  const execArgv = [
    ...args,
    `--max-old-space-size=${megabytes}`,
    '--permission',
    ...[...READABLE, fileURLToPath(new URL('.', extractors))].map((folder) => `--allow-fs-read=${folder}`),
    '--no-experimental-sqlite',
    '--disable-sigusr1',
  ];
  const started = startProcess(MAIN, [extractors.href], { execPath: program, execArgv }, stdin);
  watchMemory(started.child, megabytes * MIB);
  const ready = hasStarted(started, START_MS, () => started.child.kill('SIGKILL'));
  return { ...started, ready, files: 0, rssBytes: 0, idle: null };
}

/** Waits until the process is ready. Ends it if `signal` aborts first. */
export async function untilReady({ child, ready }: Reader, signal: AbortSignal): Promise<void> {
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  try {
    if (!(await ready)) throw new NotBegunError('the process that reads files did not start');
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Reads one file with one process. The process cannot be used again if this rejects with an error that ended it. */
export function readWith(
  reader: Reader,
  task: ReadingTask,
  { bounds, report, begun: onBegun, signal }: Reading & { bounds: ReadingBounds },
): Promise<ReadHead> {
  const { child, files: file } = reader;
  const seconds = secondsFor(task.content.byteLength, bounds);
  const first: PreparedChunk[] = [];
  let begun = false;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearInterval(timer);
      signal.removeEventListener('abort', interrupt);
      child.off('message', onAnswer);
      child.off('close', exited);
      settle();
    };
    const kill = (reason: Error) => {
      child.kill('SIGKILL');
      end(() => reject(reason));
    };
    const interrupt = () => kill(new ReadingInterruptedError('reading was interrupted'));
    const exited = (_code: number | null, by: NodeJS.Signals | null) => {
      // Only the memory watch and the kernel end it for lack of memory while it reads.
      const fault = meansLackOfMemory(by) ? FAULTS.memory(bounds.megabytes) : FAULTS.crash();
      end(() => reject(begun ? fault : new NotBegunError('the process that reads files has ended')));
    };
    const onAnswer = (answer: ReadingAnswer) => {
      if (!('file' in answer) || answer.file !== file) return;
      if (!begun) onBegun?.();
      begun = true;
      if ('progress' in answer) report(answer.progress);
      if ('chunks' in answer) first.push(...answer.chunks);
      if (!('rssBytes' in answer)) return;
      reader.rssBytes = answer.rssBytes;
      if ('document' in answer) {
        const { document } = answer;
        const unread = storedUnread(document.unread);
        const encoding = storedEncoding(document.encoding);
        end(() => resolve({ ...document, unread, encoding, first }));
      } else if ('fault' in answer) end(() => reject(faultOf(answer.fault)));
      else kill(FAULTS.crash());
    };
    const tooLong = () =>
      kill(begun ? FAULTS.time(seconds) : new NotBegunError('the process that reads files is still busy'));
    const timer = countDown(seconds, tooLong);
    signal.addEventListener('abort', interrupt);
    child.on('message', onAnswer);
    child.on('close', exited);
    if (signal.aborted) interrupt();
    else sendTo<ReadingRequest>(reader, { file, task });
  });
}

function faultOf({
  code,
  message,
  redactions,
}: Extract<ReadingAnswer, { fault: object }>['fault']): FileFault {
  return redactions === undefined ? new FileFault(code, message) : new SecretFault(redactions);
}

/**
 * Requests the chunks of a document from its process, portion by portion.
 * @param file the number that the file was sent with
 */
export async function* portionsOf(
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
 * @throws Error if the process has ended or does not answer. The file is not at fault, because it has been read
 * @throws ReadingInterruptedError
 */
async function nextPortion(
  reader: Reader,
  request: { file: number; from: number },
  signal: AbortSignal,
): Promise<PreparedChunk[]> {
  const { child } = reader;
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(PORTION_MS)]);
  try {
    // Without a channel, there may be no `close` event to wait for: the process has ended before.
    if (!child.connected) throw new Error('the process has ended');
    const answers = on(child, 'message', { signal: giveUp, close: ['close'] });
    sendTo<ReadingRequest>(reader, request);
    for await (const [answer] of answers as AsyncIterable<[ReadingAnswer]>) {
      if ('chunks' in answer && answer.file === request.file) return answer.chunks;
    }
    throw new Error('the process has ended');
  } catch (cause) {
    if (signal.aborted) throw new ReadingInterruptedError('reading was interrupted');
    // A process that does not answer cannot read the next file either.
    child.kill('SIGKILL');
    throw new Error('the process that read the file ended before its passages were stored', { cause });
  }
}
