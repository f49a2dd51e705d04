import { contentHash } from './content-hash.ts';
import { type PreparedChunk, prepareChunks } from './prepared-chunks.ts';
import { type ChunkTerms, chunkTerms } from './terms.ts';

/** A memory's content with all that is stored of it, but for vectors. */
export interface PreparedContent {
  content: string;
  contentHash: Buffer;
  /** Of the whole, to tell memories that say the same. */
  terms: ChunkTerms;
  chunks: readonly PreparedChunk[];
}

/** What two memories are compared by: more would make every comparison slow, and few are longer. */
const COMPARED_CHARACTERS = 8000;

/** The terms by which a content is compared with memories: those of its first 8,000 characters. */
export function comparedTerms(teamId: string, content: string): ChunkTerms {
  return chunkTerms(teamId, content.slice(0, COMPARED_CHARACTERS));
}

/** Cuts a memory's content and makes its terms. Slow: belongs before the transaction that stores it. */
export async function prepareContent(teamId: string, content: string): Promise<PreparedContent> {
  return {
    content,
    contentHash: contentHash({ text: content }),
    terms: comparedTerms(teamId, content),
    chunks: await prepareChunks(teamId, { text: content }),
  };
}
