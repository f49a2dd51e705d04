import { type TeamTransaction, transaction } from '../../../db/database.ts';
import { insertAuditEvents } from '../../../db/queries/audit.ts';
import { searchChunks } from '../../../db/queries/search.ts';
import type { Config } from '../../../shared/config.ts';
import { checkEmbeddingClaim, normalizeEmbedding } from '../../../shared/embeddings.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { DEFAULT_TOP_K, type Hit, SearchRequest, SearchResponse } from '../../../shared/schemas/memory.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/terms.ts';
import type { Routes } from '../../app.ts';
import { openQueryEmbedder, type QueryEmbedder } from '../../embedding/query-embedder.ts';
import { enterAgain } from '../../plugins/guards.ts';
import { MOMENT_MS } from '../../plugins/late-bodies.ts';

/** A query made ready: its vector, or the reason why keywords alone must do. */
interface QueryEmbedding {
  mode: 'client-provided' | 'server';
  vector: Float32Array | null;
  degraded: boolean;
}

/** Takes the query's vector from the request, or has it made; where that fails, keywords answer. */
async function embedQuery(
  { body, teamScope }: { body: SearchRequest; teamScope: TeamScope },
  config: Config,
  embedder: QueryEmbedder,
): Promise<QueryEmbedding> {
  if (body.embeddingMode === 'server') {
    // Refused before anyone waits for a vector.
    narrowScope(teamScope, body.scope);
    const vector = await embedder.embed(teamScope, body.query);
    return { mode: 'server', vector, degraded: vector === null };
  }
  if (body.queryEmbedding === undefined) throw new ServiceError('query_embedding_required');
  checkEmbeddingClaim(body, config.embeddingModel);
  return {
    mode: 'client-provided',
    vector: normalizeEmbedding(body.queryEmbedding, '/queryEmbedding'),
    degraded: false,
  };
}

function recordSearch(tx: TeamTransaction, queryId: string, body: SearchRequest, topK: number, hits: Hit[]) {
  return insertAuditEvents(tx, [
    {
      kind: 'memory.search',
      subjectType: 'query',
      subjectId: queryId,
      // A search within a client lies there: with an archived one it is as if it had not been.
      ...(body.scope.clientId === undefined ? {} : { layer: body.scope.clientId.toLowerCase() }),
      detail: {
        scope: body.scope,
        topK,
        hitIds: hits.map((hit) => hit.chunk_id),
        ...(body.storeQueryText === true ? { query: body.query } : {}),
      },
    },
  ]);
}

/** POST /v1/memory/search: by meaning and by keyword at once, within the caller's scope. */
export const searchRoute: Routes = (app, deps) => {
  const { config, database } = deps;
  const embedder = openQueryEmbedder(deps);
  // Before the requests that run are waited for: those that wait for a vector are answered.
  app.addHook('preClose', () => embedder.close());
  app.post(
    '/v1/memory/search',
    {
      schema: {
        summary: 'Search by meaning and by keyword',
        tags: ['memory'],
        body: SearchRequest,
        response: { 200: SearchResponse },
      },
      preValidation: async (request) => {
        // Before every other fault of the embedding, and so before its form is looked at.
        const body = request.body as Partial<SearchRequest> | null | undefined;
        if (body?.embeddingMode === 'server' && !config.serverEmbeddings) {
          throw new ServiceError(
            'server_embedding_disabled',
            'Send queryEmbedding, or enable MEMORY_API_SERVER_EMBEDDINGS=1',
          );
        }
      },
    },
    async (request, reply) => {
      const { body } = request;
      const topK = body.topK ?? DEFAULT_TOP_K;
      const embedding = await embedQuery(request, config, embedder);
      if (reply.elapsedTime > MOMENT_MS) await enterAgain(request, deps);
      const scope = narrowScope(request.teamScope, body.scope);
      const terms = queryTerms(scope.teamId, body.query);
      const queryId = newId();
      const hits = await transaction(database, scope, async (tx) => {
        const found = await searchChunks(tx, {
          terms,
          embedding: embedding.vector,
          model: config.embeddingModel,
          topK,
        });
        await recordSearch(tx, queryId, body, topK, found);
        return found;
      });
      return {
        queryId,
        embedding: { mode: embedding.mode, model: config.embeddingModel },
        degraded: embedding.degraded,
        hits,
      };
    },
  );
};
