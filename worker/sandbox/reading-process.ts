import type { ImportStage } from '../../shared/schemas/imports.ts';
import type { PreparedChunk } from '../../shared/text/prepared-chunks.ts';
import { prepareDocument, type ReadDocument } from '../extract/document.ts';
import { type Extractor, FileFault, type TellProgress } from '../extract/extraction.ts';

/*
 * The process that reads files, one at a time, for as long as its parent wants it. Whatever a file does to it, it
 * does to no one else: it has neither the service's settings nor a connection, and its parent ends it. It starts no
 * thread: one that is given other options of Node has none of the permission model's walls.
 */

/** A file to be read. */
export interface ReadingTask {
  mediaType: string;
  content: Uint8Array;
  /** Whose the terms of its chunks are to be. */
  teamId: string;
}

/**
 * What the parent asks. `task`: read this file. `from`: send the next chunks of the file read last, without the first
 * `from`. `done`: its chunks are no longer needed.
 */
export type ReadingRequest = { file: number } & ({ task: ReadingTask } | { from: number } | { done: true });

/** A document as the parent is told of it: it asks for the chunks, portion by portion. */
export type DocumentHead = Omit<ReadDocument, 'chunks'> & { chunkCount: number };

/** What became of a file. */
type ReadingOutcome =
  | { document: DocumentHead }
  | { fault: { code: string; message: string } }
  | { error: string };

/** How far it is: the share of the stage, from 0 to 1. */
export type ReadingProgress = { stage: Extract<ImportStage, 'reading' | 'cutting'>; share: number };

/**
 * What the parent receives: `ready` once. Then for each file: `begun`, progress as often as there is some, the first
 * portion of chunks, the outcome with the memory that the process uses after it, and each further portion that the parent
 * asks for. `file` is the number that the file was sent with, so that a late message of a library is not attributed to the
 * next file.
 */
export type ReadingAnswer =
  | { ready: true }
  | ({ file: number } & (
      | { begun: true }
      | { progress: ReadingProgress }
      | { chunks: PreparedChunk[] }
      | (ReadingOutcome & { rssBytes: number })
    ));

/** How often progress is told, at most. */
const TELL_EVERY_MS = 200;
/** Chunks of one portion: the parent, which takes it at once, has others to serve. */
const CHUNKS_A_PORTION = 500;

/** All chunks of the last file, if they are more than one portion, until the parent has stored them. */
let chunks: PreparedChunk[] = [];

/** Has each answer sent before the next step: a file that ends the process must not take its progress along. */
function send(answer: ReadingAnswer): void {
  process.send?.(answer);
}

function progressTeller(file: number): TellProgress {
  let told = performance.now();
  return (share) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS || Number.isNaN(share)) return;
    told = now;
    send({ file, progress: { stage: 'reading', share: Math.min(1, Math.max(0, share)) } });
  };
}

/** Whether memory was refused: by Node for a buffer, or by V8 for an ArrayBuffer, whose error has a message only. */
function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof RangeError)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MEMORY_ALLOCATION_FAILED' || error.message === 'Array buffer allocation failed';
}

async function read(file: number, { mediaType, content, teamId }: ReadingTask): Promise<ReadingOutcome> {
  try {
    const load = extractors[mediaType];
    if (load === undefined) throw new FileFault('unsupported_type', 'Files of this type cannot be imported.');
    const extract = await load();
    const extraction = await extract(content, progressTeller(file));
    send({ file, progress: { stage: 'cutting', share: 0 } });
    const { chunks: cut, ...document } = prepareDocument(extraction, teamId);
    const first = cut.slice(0, CHUNKS_A_PORTION);
    send({ file, chunks: first });
    chunks = first.length < cut.length ? cut : [];
    return { document: { ...document, chunkCount: cut.length } };
  } catch (error) {
    // Past the limit that the system holds the process to. The parent takes this end for what it is.
    if (isOutOfMemory(error)) process.abort();
    if (error instanceof FileFault) return { fault: { code: error.code, message: error.message } };
    // The message may repeat what the file says, so it goes no further than the name of its class.
    return { error: error instanceof Error ? error.name : typeof error };
  }
}

const [, , extractorsModule = ''] = process.argv;
const { EXTRACTORS: extractors } = (await import(extractorsModule)) as {
  EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>>;
};

// Ctrl-C reaches the whole group; when this process ends is its parent's affair.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (asked: ReadingRequest) => {
  const { file } = asked;
  if ('task' in asked) {
    send({ file, begun: true });
    void read(file, asked.task).then((outcome) =>
      send({ file, ...outcome, rssBytes: process.memoryUsage.rss() }),
    );
  } else if ('from' in asked) {
    send({ file, chunks: chunks.slice(asked.from, asked.from + CHUNKS_A_PORTION) });
  } else {
    chunks = [];
  }
});
send({ ready: true });
