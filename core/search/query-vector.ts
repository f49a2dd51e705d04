import { checkEmbeddingClaim, normalizeEmbedding } from '../../shared/embeddings.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { Dependencies } from '../dependencies.ts';
import type { QueryCaller, QueryEmbedder } from './query-embedder.ts';

/** The vector of a query, and who made it. */
export interface QueryVector {
  mode: 'client-provided' | 'server';
  /** Of unit length. Null if no worker made it in time: keywords alone answer the search. */
  vector: Float32Array | null;
}

/**
 * Returns the vector of a query: from the request or, in server mode, made by a worker.
 * @throws ServiceError `query_embedding_required`, `embedding_model_mismatch`, `embedding_dimension_mismatch`,
 *   `invalid_request`
 */
export async function findQueryVector(
  { config, embedder }: Pick<Dependencies, 'config'> & { embedder: QueryEmbedder },
  caller: QueryCaller,
  body: SearchRequest,
): Promise<QueryVector> {
  if (body.embeddingMode === 'server') {
    return { mode: 'server', vector: await embedder.embed(caller, body.query) };
  }
  if (body.queryEmbedding === undefined) {
    throw new ServiceError(
      'query_embedding_required',
      config.serverEmbeddings
        ? 'Send queryEmbedding, or "embeddingMode": "server"'
        : 'Send queryEmbedding. With "embeddingMode": "server" the service makes the embedding itself, if it was ' +
            'started with MEMORY_API_SERVER_EMBEDDINGS=1',
    );
  }
  checkEmbeddingClaim(body, config.embeddingModel);
  return { mode: 'client-provided', vector: normalizeEmbedding(body.queryEmbedding, '/queryEmbedding') };
}
