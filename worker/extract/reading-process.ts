import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Extraction, type Extractor, FileFault } from './extraction.ts';
import { storable } from './text-encoding.ts';

/*
 * The process that reads files, one at a time, for as long as its parent wants it. Whatever a file does to it, it
 * does to no one else: it has neither the service's settings nor a connection, and its parent ends it.
 */

/** What the parent asks. */
export interface ReadingTask {
  mediaType: string;
  content: Uint8Array;
}

/** What became of a file. */
type ReadingOutcome =
  | { extraction: Extraction }
  | { fault: { code: string; message: string } }
  | { error: string };

/**
 * What it is told: once that it may ask; then of each file that it is begun, progress as often as it comes, and the
 * outcome with the memory that the process holds after it.
 */
export type ReadingAnswer =
  | { ready: true }
  | { begun: true }
  | { progress: number }
  | (ReadingOutcome & { rssBytes: number });

/** In UTF-16 code units, as much as a title may have that is given by hand. */
const MAX_TITLE_LENGTH = 300;

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
    if (now - told < TELL_EVERY_MS || Number.isNaN(share)) return;
    told = now;
    send({ progress: Math.min(1, Math.max(0, share)) });
  };
}

/** Whatever an extractor found, as it can be stored. */
function storableExtraction({ title, parts }: Extraction): Extraction {
  return {
    title: title === null ? null : storable(title.slice(0, MAX_TITLE_LENGTH)),
    parts: parts.map(({ text, page }) => ({ text: storable(text), page })),
  };
}

async function read({ mediaType, content }: ReadingTask): Promise<ReadingOutcome> {
  try {
    const load = extractors[mediaType];
    if (load === undefined) throw new FileFault('unsupported_type', 'Files of this type cannot be imported.');
    const extract = await load();
    return { extraction: storableExtraction(await extract(content, progressTeller())) };
  } catch (error) {
    if (error instanceof FileFault) return { fault: { code: error.code, message: error.message } };
    // The message may repeat what the file says, so it goes no further than the name of its class.
    return { error: error instanceof Error ? error.name : typeof error };
  }
}

const [, , maxRssBytes, extractorsModule = ''] = process.argv;
const { EXTRACTORS: extractors } = (await import(extractorsModule)) as {
  EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>>;
};

// Memory is watched from a thread of its own: this one is busy while it reads, and reads nothing unwatched.
const guard = new Worker(new URL('./memory-guard.ts', import.meta.url), {
  workerData: { maxRssBytes: Number(maxRssBytes), parent: process.ppid },
});
await once(guard, 'message');
guard.unref();
// Ctrl-C reaches the whole group; when this process ends is its parent's affair.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: ReadingTask) => {
  send({ begun: true });
  void read(task).then((outcome) => send({ ...outcome, rssBytes: process.memoryUsage.rss() }));
});
send({ ready: true });
