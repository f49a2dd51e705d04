import { checkEmbeddingClaim, normalizeEmbedding } from '../../shared/embeddings.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { Dependencies } from '../dependencies.ts';
import type { QueryCaller, QueryEmbedder } from './query-embedder.ts';

/** The vector of a query, and who made it. */
export interface QueryVector {
  mode: 'client-provided' | 'server' | 'keyword';
  /** Of unit length. Null to search by keyword only: because of the mode, or because no worker made it in time. */
  vector: Float32Array | null;
}

/**
 * Returns the vector of a query: from the request or, in server mode, made by a worker. In keyword mode it is null.
 * @throws ServiceError `query_embedding_required`, `embedding_model_mismatch`, `embedding_dimension_mismatch`,
 *   `invalid_request`
 */
export async function findQueryVector(
  { config, embedder }: Pick<Dependencies, 'config'> & { embedder: QueryEmbedder },
  caller: QueryCaller,
  body: SearchRequest,
): Promise<QueryVector> {
  if (body.embeddingMode === 'keyword') return { mode: 'keyword', vector: null };
  if (body.embeddingMode === 'server') {
    return { mode: 'server', vector: await embedder.embed(caller, body.query) };
  }
  if (body.queryEmbedding === undefined) {
    throw new ServiceError(
      'query_embedding_required',
      config.serverEmbeddings
        ? 'Send queryEmbedding, or "embeddingMode": "server", or "embeddingMode": "keyword" to search by words only'
        : 'Send queryEmbedding, or "embeddingMode": "keyword" to search by words only. With "server" the service ' +
            'makes the embedding itself, if it was started with MEMORY_API_SERVER_EMBEDDINGS=1',
    );
  }
  checkEmbeddingClaim(body, config.embeddingModel);
  return { mode: 'client-provided', vector: normalizeEmbedding(body.queryEmbedding, '/queryEmbedding') };
}
