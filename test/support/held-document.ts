import type { ReadDocument } from '../../worker/extract/document.ts';
import type { HeldDocument } from '../../worker/extract/reading-pool.ts';

/** All that a process has read of a file. */
export async function wholeDocument({ title, contentHash, chunks }: HeldDocument): Promise<ReadDocument> {
  const portions = await Array.fromAsync(chunks);
  return { title, contentHash, chunks: portions.flat() };
}
