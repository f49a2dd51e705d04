import { MAX_PIECE_LENGTH } from '../../shared/text/chunking.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import type { SourceFields } from '../../shared/text/fields.ts';
import {
  type ChunkInput,
  MAX_CHUNKS,
  type PreparedChunk,
  prepareChunksNow,
  TooManyChunksError,
} from '../../shared/text/prepared-chunks.ts';
import { type Extraction, FileFault } from './extraction.ts';
import { storable } from './text/text-encoding.ts';

/** A file that is ready to be stored: all slow work is done. */
export interface ReadDocument {
  /** The title that the document itself contains, or null. */
  title: string | null;
  /** The day that the document itself tells, `YYYY-MM-DD`, or null. */
  date: string | null;
  /** The fields that find its chunks. */
  indexedAs: SourceFields;
  /** SHA-256 of its text, by which duplicates are recognized. */
  contentHash: Uint8Array;
  chunks: PreparedChunk[];
}

/** In UTF-16 code units. The same limit applies to titles in requests. */
const MAX_TITLE_LENGTH = 300;

function chunkInput(extraction: Extraction): ChunkInput {
  const parts = extraction.parts.map((part) => ({ ...part, text: storable(part.text) }));
  if (parts.every(({ text }) => text.trim() === ''))
    throw new FileFault('no_text', 'The file holds no text.');
  return { parts };
}

/**
 * Cuts the extracted text into chunks, and computes the terms of each chunk for the Team.
 * @param fields of the source that the file becomes; the date of the document counts more than theirs
 * @throws FileFault `no_text`, `too_many_chunks`
 */
export function prepareDocument(extraction: Extraction, teamId: string, fields: SourceFields): ReadDocument {
  const characters = extraction.parts.reduce((sum, { text }) => sum + text.length, 0);
  try {
    // This text cannot fit into the allowed number of chunks. Cutting it would take minutes to show the same.
    if (characters > MAX_CHUNKS * MAX_PIECE_LENGTH) throw new TooManyChunksError();
    const input = chunkInput(extraction);
    const { title, date = null } = extraction;
    const indexedAs = date === null ? fields : { ...fields, date };
    return {
      title: title === null ? null : storable(title.slice(0, MAX_TITLE_LENGTH)),
      date,
      indexedAs,
      contentHash: contentHash(input),
      chunks: prepareChunksNow(teamId, { ...input, fields: indexedAs }),
    };
  } catch (error) {
    if (error instanceof TooManyChunksError) throw new FileFault('too_many_chunks', `${error.message}.`);
    throw error;
  }
}
