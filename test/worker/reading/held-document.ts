import type { ReadDocument } from '../../../worker/extract/document.ts';
import type { HeldDocument } from '../../../worker/sandbox/reading-pool.ts';

/** All that a process has read of a file. */
export async function wholeDocument(held: HeldDocument): Promise<ReadDocument> {
  const { title, date, indexedAs, contentHash, chunks, redactions } = held;
  const all = 'length' in chunks ? [...chunks] : (await Array.fromAsync(chunks)).flat();
  return { title, date, indexedAs, contentHash, chunks: all, redactions };
}
