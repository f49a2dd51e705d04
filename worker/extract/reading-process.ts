import { Worker } from 'node:worker_threads';
import { type Extraction, FileFault } from './extraction.ts';
import { EXTRACTORS } from './registry.ts';

/*
 * The process that reads files, one at a time, for as long as its parent wants it. Whatever a file does to it, it
 * does to no one else: it has neither the service's settings nor a connection, and its parent ends it.
 */

/** What the parent asks. */
export interface ReadingTask {
  mediaType: string;
  content: Uint8Array;
}

/** What it is told: once that it may ask; then progress as often as it comes, and one of the others. */
export type ReadingAnswer =
  | { ready: true }
  | { progress: number }
  | { extraction: Extraction }
  | { fault: { code: string; message: string } }
  | { error: string };

/** How often progress is told, at most. */
const TELL_EVERY_MS = 200;

/** Has each answer sent before the next step: a file that ends the process must not take its progress along. */
function send(answer: ReadingAnswer): void {
  process.send?.(answer);
}

function progressTeller(): (share: number) => void {
  let told = performance.now();
  return (share) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS) return;
    told = now;
    send({ progress: Math.min(1, Math.max(0, share)) });
  };
}

async function read({ mediaType, content }: ReadingTask): Promise<ReadingAnswer> {
  try {
    const load = EXTRACTORS[mediaType];
    if (load === undefined) throw new FileFault('unsupported_type', 'Files of this type cannot be imported.');
    const extract = await load();
    return { extraction: await extract(content, progressTeller()) };
  } catch (error) {
    if (error instanceof FileFault) return { fault: { code: error.code, message: error.message } };
    // The message may repeat what the file says, so it goes no further than the name of its class.
    return { error: error instanceof Error ? error.name : typeof error };
  }
}

// Memory is watched from a thread of its own: this one is busy while it reads.
new Worker(new URL('./memory-guard.ts', import.meta.url), {
  workerData: { maxRssBytes: Number(process.argv[2]), parent: process.ppid },
}).unref();
// Ctrl-C reaches the whole group; when this process ends is its parent's affair.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: ReadingTask) => void read(task).then(send));
send({ ready: true });
