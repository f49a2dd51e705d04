import type { Redaction } from '../../shared/schemas/common.ts';
import type { Unread } from '../../shared/schemas/unread.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { MAX_PIECE_LENGTH } from '../../shared/text/chunking.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import {
  type DocumentPart,
  MAX_CHUNKS,
  type PreparedChunk,
  prepareChunksNow,
  type SourceFields,
  TooManyChunksError,
} from '../../shared/text/prepared-chunks.ts';
import { type Extraction, FileFault } from './extraction.ts';
import { redactDocument } from './redact-document.ts';
import { storable } from './text.ts';
import { cutNames, mergeUnread } from './unread.ts';

/** The fields of the source that a file becomes. */
export interface FileFields extends SourceFields {
  /** Whether a request said the date. It then counts more than that of the document. */
  isDateGiven?: boolean;
}

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
  /** What could not be read of the file. */
  unread: Unread[];
  /** The encoding of its text, as in `Extraction`. */
  encoding: string | null;
  /** The credentials that were found in its text, its title and the names of what was not read. */
  redactions: Redaction[];
}

/** In UTF-16 code units. The same limit applies to titles in requests. */
const MAX_TITLE_LENGTH = 300;
/** So much of a title is checked for credentials, before it is cut: half a credential would not be found. */
const MAX_CHECKED_TITLE = 4000;

function storableParts(extraction: Extraction): DocumentPart[] {
  const parts = extraction.parts.map((part) => ({
    ...part,
    text: storable(part.text),
    ...(part.headings && { headings: part.headings.map(storable) }),
  }));
  if (parts.every(({ text }) => text.trim() === ''))
    throw new FileFault('no_text', 'The file holds no text.');
  return parts;
}

/**
 * Cuts the extracted text into chunks, and computes the terms of each chunk for the Team.
 * @param fields of the source that the file becomes; the date of the document counts more than theirs, unless it was given
 * @param mode what is done about credentials in the text
 * @throws FileFault `no_text`, `too_many_chunks`, `secret_detected`
 */
export function prepareDocument(
  extraction: Extraction,
  teamId: string,
  { isDateGiven = false, ...fields }: FileFields,
  mode: RedactionMode,
): ReadDocument {
  const characters = extraction.parts.reduce((sum, { text }) => sum + text.length, 0);
  try {
    // This text cannot fit into the allowed number of chunks. Cutting it would take minutes to show the same.
    if (characters > MAX_CHUNKS * MAX_PIECE_LENGTH) throw new TooManyChunksError();
    const { date = null } = extraction;
    const given = extraction.title === null ? null : storable(extraction.title.slice(0, MAX_CHECKED_TITLE));
    const texts = {
      title: given,
      parts: storableParts(extraction),
      unread: mergeUnread(extraction.unread ?? []),
    };
    const { title: checked, parts, unread, redactions } = redactDocument(texts, mode);
    const title = checked === null ? null : storable(checked.slice(0, MAX_TITLE_LENGTH));
    const input = { parts };
    const indexedAs = date === null || isDateGiven ? fields : { ...fields, date };
    return {
      title,
      date,
      indexedAs,
      contentHash: contentHash(input),
      chunks: prepareChunksNow(teamId, { ...input, fields: indexedAs }),
      unread: cutNames(unread),
      encoding: extraction.encoding ?? null,
      redactions,
    };
  } catch (error) {
    if (error instanceof TooManyChunksError) throw new FileFault('too_many_chunks', `${error.message}.`);
    throw error;
  }
}
