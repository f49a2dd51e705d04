import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Extraction, type Extractor, FileFault } from '../../worker/extract/extraction.ts';

/*
 * Extractors that do to the process that reads files what a file can do by chance or on purpose. The text of the
 * "file" names the fault: a word, and after a blank its argument. Any other text is read unchanged.
 */

const MIB = 1024 * 1024;
/** What a file leaves behind in its process. */
const kept: unknown[] = [];

function recurse(depth: number): number {
  return recurse(depth + 1) + 1;
}

/** Numbers that fill one MiB of the JavaScript heap. */
const MEBIBYTE = Array.from({ length: MIB / 8 }, Math.random);

/** So much of the JavaScript heap. */
function heapOf(megabytes: number): unknown[] {
  return Array.from({ length: megabytes }, () => MEBIBYTE.slice());
}

/** What an attempt at something comes to: `done`, or the code or name of its error. */
function attempt(what: () => unknown): string {
  try {
    what();
    return 'done';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  }
}

type Deed = (given: string, tell: (share: number) => void) => string | Promise<string>;

const DEEDS: Readonly<Record<string, Deed>> = {
  /** Never comes to an end, and leaves the process no time for anything else. Says once that it is at it. */
  endless: (_, tell) => {
    const began = performance.now();
    while (performance.now() - began < 300);
    tell(0.5);
    for (;;) performance.now();
  },
  /** Never comes to an end, and waits. */
  waiting: () => new Promise<never>(() => setInterval(() => undefined, 1000)),
  heap: () => {
    for (;;) kept.push(heapOf(1));
  },
  buffers: () => {
    for (;;) kept.push(Buffer.alloc(MIB, 1));
  },
  /** Takes so many MiB of heap and never lets go of them, as a library that remembers. */
  keep: (megabytes) => String(kept.push(heapOf(Number(megabytes)))),
  /** Takes so many MiB outside of the heap and lets go of them. */
  blocks: (megabytes) => {
    const blocks = Array.from({ length: Number(megabytes) }, () => Buffer.alloc(MIB, 1));
    return String(blocks.length);
  },
  /** Takes so many MiB outside of the heap at once. */
  block: (megabytes) => String(Buffer.alloc(Number(megabytes) * MIB, 1).length),
  abort: () => process.abort(),
  /** Is too much for a process that keeps something of an earlier file. */
  alone: () => (kept.length > 0 ? process.abort() : 'read alone'),
  exit: () => process.exit(3),
  stack: () => String(recurse(0)),
  throw: (given) => {
    throw new Error(given);
  },
  fault: (given) => {
    throw new FileFault('locked', given);
  },
  /** Lets the reading itself end well, and the process end soon after. */
  afterwards: () => {
    setTimeout(() => process.exit(3), 10);
    return 'read';
  },
  /** Lets the reading itself end well, and the process do nothing else from soon after. */
  lingering: () => {
    setTimeout(() => {
      for (;;) performance.now();
    }, 10);
    return 'read';
  },
  /** Sends the outcome of the first file itself, and says what it did not read in a form of its own. */
  forged: () => {
    const document = { title: null, date: null, redactions: [], chunkCount: 0, hasRawCredentials: false };
    const unread = [{ kind: 'page', names: ['x'.repeat(MIB)], reason: 'no_text' }];
    process.send?.({ file: 0, document: { ...document, unread, encoding: 'x'.repeat(MIB) }, rssBytes: 0 });
    return 'read';
  },
  pid: () => String(process.pid),
  environment: () => JSON.stringify(process.env),
  /** Takes so many milliseconds. */
  slow: async (ms) => {
    await pause(Number(ms));
    return `read after ${ms}`;
  },
  /** Tells these shares, one after the other, each after so many milliseconds: `tell 300 0.2 0.1`. */
  tell: async (given, tell) => {
    const [ms, ...shares] = given.split(' ').map(Number);
    for (const share of shares) {
      await pause(ms);
      tell(share);
    }
    return `told ${given}`;
  },
  /** What it may do to the machine: `tries <folder to write to> <file to read>`. */
  tries: (given) => {
    const [folder = '', secret = ''] = given.split(' ');
    return JSON.stringify({
      write: attempt(() => writeFileSync(`${folder}/written`, 'x')),
      spawn: attempt(() => {
        const { error } = spawnSync(process.execPath, ['--version']);
        if (error) throw error;
      }),
      read: attempt(() => readFileSync(secret)),
    });
  },
};

const misbehave: Extractor = async (content, tell): Promise<Extraction> => {
  const text = new TextDecoder().decode(content);
  const [word = '', ...given] = text.split(' ');
  const deed = DEEDS[word];
  const read = deed === undefined ? text : await deed(given.join(' '), tell);
  return { title: null, parts: [{ text: read, place: null }] };
};

export const EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>> = {
  'text/plain': async () => misbehave,
};
