import { cpus } from 'node:os';
import { Piscina } from 'piscina';
import { cutText } from './chunking.ts';
import { ServiceError } from './errors.ts';
import { type ChunkTerms, chunkTerms } from './terms.ts';

/** A chunk with all that search stores of it, but for its vector. */
export interface PreparedChunk {
  text: string;
  headings: string[];
  /** From 1; null where the document has no pages. */
  page: number | null;
  terms: ChunkTerms;
}

/** A stretch of a document that no chunk goes beyond: a page, a message, or all of it. */
export interface DocumentPart {
  text: string;
  page: number | null;
}

/** What chunks are made of: a text to be cut, the parts of a document, or chunks that stay as given. */
export type ChunkInput =
  | { text: string }
  | { parts: readonly DocumentPart[] }
  | { chunks: readonly string[] };

/** Cutting and terms of more than this many chunks would hold up other requests of the process. */
const INLINE_CHUNKS = 50;
const INLINE_CHARACTERS = INLINE_CHUNKS * 1200;

/** A document that makes more chunks than this is no document: 32 MiB of prose make about 30,000. */
export const MAX_CHUNKS = 50_000;

/** Cuts a text and makes the terms of each chunk. Blocks: about 0.15 ms a chunk. */
export function prepareChunksNow(teamId: string, input: ChunkInput): PreparedChunk[] {
  const pieces = cut(input);
  if (pieces.length > MAX_CHUNKS) throw new TooManyChunksError();
  return pieces.map((piece) => ({ ...piece, terms: chunkTerms(teamId, piece.text) }));
}

function cut(input: ChunkInput): Omit<PreparedChunk, 'terms'>[] {
  if ('chunks' in input) return input.chunks.map((text) => ({ text, headings: [], page: null }));
  const parts = 'parts' in input ? input.parts : [{ text: input.text, page: null }];
  const pieces: Omit<PreparedChunk, 'terms'>[] = [];
  for (const { text, page } of parts) {
    for (const piece of cutText(text)) pieces.push({ ...piece, page });
    if (pieces.length > MAX_CHUNKS) break;
  }
  return pieces;
}

/** Whether so little is to be cut that no one would notice. */
function isShort(input: ChunkInput): boolean {
  if ('chunks' in input) return input.chunks.length <= INLINE_CHUNKS;
  const parts = 'parts' in input ? input.parts : [input];
  return parts.reduce((sum, { text }) => sum + text.length, 0) <= INLINE_CHARACTERS;
}

/** The text divides into more chunks than one source may have. */
export class TooManyChunksError extends ServiceError {
  constructor() {
    super('invalid_request', `The text divides into more than ${MAX_CHUNKS} chunks: send it in parts`);
  }
}

let pool: Piscina | null = null;

/**
 * Cuts a text and makes the terms of each chunk, in a thread of its own where the text is long, so that the
 * process answers others meanwhile.
 */
export async function prepareChunks(teamId: string, input: ChunkInput): Promise<PreparedChunk[]> {
  if (isShort(input)) return prepareChunksNow(teamId, input);
  // Threads end when idle, and do not keep the process alive.
  pool ??= new Piscina({
    filename: new URL('./prepared-chunks-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(1, cpus().length - 1),
    idleTimeout: 10_000,
  });
  const prepared = (await pool.run({ teamId, input })) as PreparedChunk[] | null;
  if (prepared === null) throw new TooManyChunksError();
  return prepared;
}
