import { contentHash } from './content-hash.ts';
import { prepareBatch } from './prepare-batch.ts';
import type { ChunkInput, PreparedChunk } from './prepared-chunks.ts';
import type { ChunkTerms } from './terms.ts';

/** A memory's content with everything that is stored of it, except vectors. */
export interface PreparedContent {
  content: string;
  contentHash: Buffer;
  /** Of its first 8,000 characters, to tell memories that say the same. */
  terms: ChunkTerms;
  chunks: readonly PreparedChunk[];
}

/** What two memories are compared by: more would make every comparison slow, and few are longer. */
const COMPARED_CHARACTERS = 8000;

/**
 * Cuts the contents of memories and makes their terms, all that a request brings at once. Slow: belongs before the
 * transaction that stores them.
 * @param signal of the request: nothing more is cut for one that is gone
 * @throws TooManyChunksError for more chunks than one source may have, of all contents together
 */
export async function prepareContents(
  teamId: string,
  contents: readonly string[],
  signal?: AbortSignal,
): Promise<PreparedContent[]> {
  // Of each the content itself, and as one chunk what it is compared by.
  const inputs = contents.flatMap((content): ChunkInput[] => [
    { text: content },
    { chunks: [content.slice(0, COMPARED_CHARACTERS)] },
  ]);
  const prepared = await prepareBatch(teamId, inputs, signal);
  return contents.map((content, index) => {
    const [chunks, compared] = prepared.slice(2 * index);
    if (chunks === undefined || compared?.[0] === undefined) throw new Error('a content was not prepared');
    return { content, contentHash: contentHash({ text: content }), terms: compared[0].terms, chunks };
  });
}

/** Cuts the content of one memory: see `prepareContents`. */
export async function prepareContent(
  teamId: string,
  content: string,
  signal?: AbortSignal,
): Promise<PreparedContent> {
  const [prepared] = await prepareContents(teamId, [content], signal);
  if (prepared === undefined) throw new Error('a content was not prepared');
  return prepared;
}
