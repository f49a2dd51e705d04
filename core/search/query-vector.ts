import type { Config } from '../../shared/config.ts';
import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { Dependencies } from '../dependencies.ts';
import type { QueryCaller, QueryEmbedder } from './query-embedder.ts';

/** How a search gets the vector of its query: from the request, from a worker, or not at all. */
export type VectorMode = 'client-provided' | 'server' | 'keyword';

/**
 * Chooses how a search gets the vector of its query.
 * @throws ServiceError `query_embedding_required`
 */
export function chooseVectorMode(
  { serverEmbeddings }: Pick<Config, 'serverEmbeddings'>,
  { embeddingMode, queryEmbedding }: Pick<SearchRequest, 'embeddingMode' | 'queryEmbedding'>,
): VectorMode {
  if (embeddingMode === 'server' || embeddingMode === 'keyword') return embeddingMode;
  if (queryEmbedding !== undefined) return 'client-provided';
  if (embeddingMode === 'auto') return serverEmbeddings ? 'server' : 'keyword';
  throw new ServiceError(
    'query_embedding_required',
    serverEmbeddings
      ? 'Send "embeddingMode": "auto", or queryEmbedding, or "embeddingMode": "server", or "embeddingMode": "keyword" to ' +
          'search by words only'
      : 'Send "embeddingMode": "auto", or queryEmbedding, or "embeddingMode": "keyword" to search by words only. The ' +
          'service makes the embedding itself if it was started with MEMORY_API_SERVER_EMBEDDINGS=1',
  );
}

/**
 * Returns the vector of a query, of unit length. Null to search by keyword only: because of the mode, or because no worker
 * made it in time.
 * @throws ServiceError `embedding_model_mismatch`, `embedding_dimension_mismatch`, `invalid_request`
 */
export async function findQueryVector(
  { config, embedder }: Pick<Dependencies, 'config'> & { embedder: QueryEmbedder },
  caller: QueryCaller,
  body: SearchRequest,
  mode: VectorMode,
): Promise<Float32Array | null> {
  if (mode === 'server') return embedder.embed(caller, body.query);
  if (mode === 'keyword' || body.queryEmbedding === undefined) return null;
  checkDeclaredModel(body, config.embeddingModel);
  return normalizeEmbedding(body.queryEmbedding, '/queryEmbedding');
}
