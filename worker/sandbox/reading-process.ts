import type { Redaction } from '../../shared/schemas/common.ts';
import type { ImportStage } from '../../shared/schemas/imports.ts';
import { masksCredentials, type RedactionMode } from '../../shared/settings/team-settings.ts';
import type { PreparedChunk } from '../../shared/text/prepared-chunks.ts';
import { type FileFields, prepareDocument, type ReadDocument } from '../extract/document.ts';
import { type Extractor, FileFault, type ReportProgress, SecretFault } from '../extract/extraction.ts';
import { hasRawCredentials } from '../extract/redact-document.ts';
import { endWithParent } from '../supervised-process.ts';

/*
 * The process that reads files, one at a time, until its parent ends it. A harmful file can affect only this process,
 * which has no settings of the service and no database connection. It starts no thread, because a thread with other Node options
 * would not be restricted by the permission model.
 */

/** A file to read. */
export interface ReadingTask {
  mediaType: string;
  /** Its name or path, if it is known. */
  filename?: string;
  content: Uint8Array;
  /** The Team for which the terms of the chunks are computed. */
  teamId: string;
  /** Of the source that the file becomes. */
  fields: FileFields;
  /** What is done about credentials in its text. */
  redaction: RedactionMode;
}

/**
 * A request of the parent. `task`: read this file. `from`: send the next chunks of the last file, starting at this
 * index. `done`: the chunks are no longer needed.
 */
export type ReadingRequest = { file: number } & ({ task: ReadingTask } | { from: number } | { done: true });

/** A document as it is sent to the parent, which requests the chunks portion by portion. */
export interface DocumentHead extends Omit<ReadDocument, 'chunks'> {
  chunkCount: number;
  /** Whether the mode masks credentials and the file has one, though its text has none: in a script, for example. */
  hasRawCredentials: boolean;
}

/** The result of reading a file. */
type ReadingOutcome =
  | { document: DocumentHead }
  | { fault: { code: string; message: string; redactions?: readonly Redaction[] } }
  | { error: string };

/** The progress of a stage, from 0 to 1. */
export type ReadingProgress = { stage: Extract<ImportStage, 'reading' | 'cutting'>; share: number };

/**
 * A message to the parent. `ready` is sent once. Then follow, for each file: `begun`, progress, the first portion of
 * chunks, the outcome with the memory that the process then uses, and each further portion that the parent requests.
 * `file` is the number that the file was sent with, so that a late message of a library is not attributed to the next
 * file.
 */
export type ReadingAnswer =
  | { ready: true }
  | ({ file: number } & (
      | { begun: true }
      | { progress: ReadingProgress }
      | { chunks: PreparedChunk[] }
      | (ReadingOutcome & { rssBytes: number })
    ));

/** The shortest interval between two progress messages. */
const REPORT_INTERVAL_MS = 200;
/** Chunks in one portion. It is limited because the parent handles it without a break and has other work. */
const MAX_CHUNKS_PER_PORTION = 500;

/** All chunks of the last file, if they are more than one portion, until the parent has stored them. */
let chunks: PreparedChunk[] = [];

/** Sends an answer before the next step starts, so that it is not lost if the file ends the process. */
function send(answer: ReadingAnswer): void {
  process.send?.(answer);
}

function progressReporter(file: number): ReportProgress {
  let reportedAt = performance.now();
  return (share) => {
    const now = performance.now();
    if (now - reportedAt < REPORT_INTERVAL_MS || Number.isNaN(share)) return;
    reportedAt = now;
    send({ file, progress: { stage: 'reading', share: Math.min(1, Math.max(0, share)) } });
  };
}

/** Whether memory was refused: by Node for a buffer, or by V8 for an ArrayBuffer, whose error has a message only. */
function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof RangeError)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_MEMORY_ALLOCATION_FAILED' || error.message === 'Array buffer allocation failed';
}

async function read(
  file: number,
  { mediaType, filename, content, teamId, fields, redaction }: ReadingTask,
): Promise<ReadingOutcome> {
  try {
    const load = extractors[mediaType];
    if (load === undefined) throw new FileFault('unsupported_type', 'Files of this type cannot be imported.');
    const extract = await load();
    const extraction = await extract(content, progressReporter(file), filename);
    send({ file, progress: { stage: 'cutting', share: 0 } });
    const { chunks: cut, ...document } = prepareDocument(extraction, teamId, fields, redaction);
    const first = cut.slice(0, MAX_CHUNKS_PER_PORTION);
    send({ file, chunks: first });
    chunks = first.length < cut.length ? cut : [];
    const isSearched = masksCredentials(redaction) && document.redactions.length === 0;
    const hasRaw = isSearched && (await hasRawCredentials(mediaType, content));
    return { document: { ...document, chunkCount: cut.length, hasRawCredentials: hasRaw } };
  } catch (error) {
    // The memory limit of the system was reached. The parent recognizes this end as a lack of memory.
    if (isOutOfMemory(error)) process.abort();
    if (error instanceof SecretFault) {
      const { code, message, redactions } = error;
      return { fault: { code, message, redactions } };
    }
    if (error instanceof FileFault) return { fault: { code: error.code, message: error.message } };
    // Only the name of the error is sent, because its message can contain parts of the file.
    return { error: error instanceof Error ? error.name : typeof error };
  }
}

const [, , extractorsModule = ''] = process.argv;
const { EXTRACTORS: extractors } = (await import(extractorsModule)) as {
  EXTRACTORS: Readonly<Record<string, () => Promise<Extractor>>>;
};

endWithParent();
process.on('message', (asked: ReadingRequest) => {
  const { file } = asked;
  if ('task' in asked) {
    send({ file, begun: true });
    void read(file, asked.task).then((outcome) =>
      send({ file, ...outcome, rssBytes: process.memoryUsage.rss() }),
    );
  } else if ('from' in asked) {
    send({ file, chunks: chunks.slice(asked.from, asked.from + MAX_CHUNKS_PER_PORTION) });
  } else {
    chunks = [];
  }
});
send({ ready: true });
