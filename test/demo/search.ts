import type { Static } from 'typebox';
import type { ExpandResponse, SearchResponse } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import type { Embedder } from '../../worker/embedder/model.ts';
import type { Client } from './client.ts';

/** How queries get their vector: the service makes it, or a model here. */
export type QueryMode = { mode: 'server' } | { mode: 'client'; embedder: Embedder };

/** One recall stays within one scope: search and expand are given the same. */
const SCOPE = {};
const TOP = 3;

/** Asks one question. */
export async function search(
  client: Client,
  query: string,
  mode: QueryMode,
): Promise<Static<typeof SearchResponse>> {
  const embedding =
    mode.mode === 'server'
      ? {}
      : {
          queryEmbedding: [...(await mode.embedder.embed(query, 'query'))],
          embeddingModel: mode.embedder.name,
          embeddingDim: 1024,
        };
  return client.post('/v1/memory/search', {
    query,
    scope: SCOPE,
    topK: TOP,
    embeddingMode: 'auto',
    ...embedding,
  });
}

/** A hit with the chunk before it and the one behind. */
export async function expand(client: Client, chunkId: string): Promise<Chunk[]> {
  const answer = await client.post<Static<typeof ExpandResponse>>('/v1/memory/expand', {
    chunkId,
    scope: SCOPE,
    before: 1,
    after: 1,
  });
  return answer.chunks;
}
