import type { ReadDocument } from '../../../worker/extract/document.ts';
import type { HeldDocument } from '../../../worker/sandbox/reading-pool.ts';

/** All that a process has read of a file. */
export async function wholeDocument({ title, contentHash, chunks }: HeldDocument): Promise<ReadDocument> {
  const all = 'length' in chunks ? [...chunks] : (await Array.fromAsync(chunks)).flat();
  return { title, contentHash, chunks: all };
}
