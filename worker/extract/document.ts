import { MAX_PIECE_LENGTH } from '../../shared/text/chunking.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import {
  type ChunkInput,
  MAX_CHUNKS,
  type PreparedChunk,
  prepareChunksNow,
  TooManyChunksError,
} from '../../shared/text/prepared-chunks.ts';
import { type Extraction, FileFault } from './extraction.ts';
import { storable } from './text/text-encoding.ts';

/** A file as it is to be stored: all that takes time of it is done. */
export interface ReadDocument {
  /** By the document's own word, or null. */
  title: string | null;
  /** SHA-256 of its text, by which it is known again. */
  contentHash: Uint8Array;
  chunks: PreparedChunk[];
}

/** In UTF-16 code units, as much as a title may have that is given by hand. */
const MAX_TITLE_LENGTH = 300;

/** A document of one part without pages is a text like any other, and known again as such. */
function chunkInput({ parts }: Extraction): ChunkInput {
  const texts = parts.map(({ text, page }) => ({ text: storable(text), page }));
  if (texts.every(({ text }) => text.trim() === ''))
    throw new FileFault('no_text', 'The file holds no text.');
  const [only, ...more] = texts;
  return only !== undefined && more.length === 0 && only.page === null
    ? { text: only.text }
    : { parts: texts };
}

/**
 * Cuts what an extractor found and makes the terms of each chunk, for the Team that will search them.
 * @throws FileFault `no_text`, `too_many_chunks`
 */
export function prepareDocument(extraction: Extraction, teamId: string): ReadDocument {
  const characters = extraction.parts.reduce((sum, { text }) => sum + text.length, 0);
  try {
    // So much cannot be cut into as many as there may be; found out by cutting, it would take minutes.
    if (characters > MAX_CHUNKS * MAX_PIECE_LENGTH) throw new TooManyChunksError();
    const input = chunkInput(extraction);
    const { title } = extraction;
    return {
      title: title === null ? null : storable(title.slice(0, MAX_TITLE_LENGTH)),
      contentHash: contentHash(input),
      chunks: prepareChunksNow(teamId, input),
    };
  } catch (error) {
    if (error instanceof TooManyChunksError) throw new FileFault('too_many_chunks', `${error.message}.`);
    throw error;
  }
}
