import { newId } from '../../../shared/ids.ts';
import { fieldsNow } from '../../../shared/text/prepared-chunks.ts';
import type { ReadDocument } from '../../../worker/extract/document.ts';
import type { HeldDocument, ReadingPool } from '../../../worker/sandbox/reading-pool.ts';

/** A file to be read. */
export const taskOf = (content: string | Uint8Array, mediaType = 'text/plain') => ({
  mediaType,
  content: Buffer.from(content),
  teamId: newId(),
  fields: fieldsNow('A file'),
  redaction: 'off' as const,
});

export type Reading = Parameters<ReadingPool['read']>[1];

/** A reading that tells no one how far it is, and is not interrupted. */
export const readingOf = (given: Partial<Reading> = {}): Reading => ({
  report: () => undefined,
  signal: new AbortController().signal,
  ...given,
});

/** All that a process has read of a file. */
export async function wholeDocument(held: HeldDocument): Promise<ReadDocument> {
  const { title, date, indexedAs, contentHash, chunks, unread, encoding, redactions } = held;
  const all = 'length' in chunks ? [...chunks] : (await Array.fromAsync(chunks)).flat();
  return { title, date, indexedAs, contentHash, chunks: all, unread, encoding, redactions };
}
