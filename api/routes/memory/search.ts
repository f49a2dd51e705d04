import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../core/dependencies.ts';
import { explainHits, explainSearch } from '../../../core/search/explanation.ts';
import { readSourceFilter, readTimeFilters } from '../../../core/search/filters.ts';
import { openQueryEmbedder, type QueryEmbedder } from '../../../core/search/query-embedder.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { type ChunkQuery, searchChunks } from '../../../db/queries/search/search.ts';
import { matchedWeights, searchExplained } from '../../../db/queries/search/search-explained.ts';
import type { Config } from '../../../shared/config.ts';
import { checkEmbeddingClaim, normalizeEmbedding } from '../../../shared/embeddings.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import {
  DEFAULT_TOP_K,
  type Hit,
  type SearchExplanation,
  SearchRequest,
  SearchResponse,
} from '../../../shared/schemas/memory.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import { queryTerms } from '../../../shared/text/terms.ts';
import { reauthenticate } from '../../plugins/guards.ts';
import { MOMENT_MS } from '../../plugins/late-bodies.ts';
import type { Routes } from '../../types.ts';

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
    const vector = await embedder.embed(teamScope, body.query);
    return { mode: 'server', vector, degraded: vector === null };
  }
  if (body.queryEmbedding === undefined) {
    throw new ServiceError(
      'query_embedding_required',
      config.serverEmbeddings
        ? 'The search needs a queryEmbedding, or "embeddingMode": "server"'
        : 'The search needs a queryEmbedding. The service makes it itself, on "embeddingMode": "server", if it is ' +
            'started with MEMORY_API_SERVER_EMBEDDINGS=1',
    );
  }
  checkEmbeddingClaim(body, config.embeddingModel);
  return {
    mode: 'client-provided',
    vector: normalizeEmbedding(body.queryEmbedding, '/queryEmbedding'),
    degraded: false,
  };
}

function recordSearch(
  tx: TeamTransaction,
  queryId: string,
  body: SearchRequest,
  topK: number,
  hits: Hit[],
): void {
  insertAuditEvents(tx, [
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

interface Found {
  hits: Hit[];
  explain?: SearchExplanation;
}

/** Searches, and has each hit and the whole explained where that is asked. */
async function search(
  tx: TeamTransaction,
  query: ChunkQuery,
  { explain, embeddingMs }: { explain: boolean; embeddingMs: number },
): Promise<Found> {
  if (!explain) return { hits: await searchChunks(tx, query) };
  const began = performance.now();
  const { hits, trace } = await searchExplained(tx, query);
  const statement = performance.now() - began;
  const { terms } = query;
  const matched = await matchedWeights(
    tx,
    hits.map((hit) => hit.chunk_id),
    terms.dims,
  );
  return {
    hits: explainHits(hits, matched, terms, trace),
    explain: explainSearch(terms, trace, { embedding: embeddingMs, statement }),
  };
}

/**
 * Answers a search whose form is right.
 * @throws ServiceError `full_access_required` for an explanation, the refusals of an embedding, `invalid_request` for a
 *   time that does not exist or is out of range, `scope_forbidden`, `not_found` for a source
 */
async function answerSearch(
  request: FastifyRequest & { body: SearchRequest },
  waited: () => number,
  deps: Dependencies,
  embedder: QueryEmbedder,
): Promise<SearchResponse> {
  const { body } = request;
  const { config, database } = deps;
  const explain = body.explain === true;
  const readSources = () => readSourceFilter(database, request.teamScope, body.sourceIds);
  const times = readTimeFilters(body);
  if (body.embeddingMode === 'server') {
    // Refused before anyone waits for a vector.
    narrowScope(request.teamScope, body.scope);
    await readSources();
  }
  const began = performance.now();
  const embedding = await embedQuery(request, config, embedder);
  const embeddingMs = performance.now() - began;
  if (waited() > MOMENT_MS) await reauthenticate(request, deps);
  assertMayExplain(request, explain);
  const scope = narrowScope(request.teamScope, body.scope);
  const sourceIds = await readSources();
  const query: ChunkQuery = {
    ...times,
    ...(body.kinds === undefined ? {} : { kinds: body.kinds }),
    ...(sourceIds === undefined ? {} : { sourceIds }),
    ...(body.minSimilarity === undefined ? {} : { minSimilarity: body.minSimilarity }),
    terms: queryTerms(scope.teamId, body.query),
    embedding: embedding.vector,
    model: config.embeddingModel,
    topK: body.topK ?? DEFAULT_TOP_K,
  };
  const queryId = newId();
  const found = await transaction(
    database,
    scope,
    async (tx) => {
      const result = await search(tx, query, { explain, embeddingMs });
      recordSearch(tx, queryId, body, query.topK, result.hits);
      return result;
    },
    { readsFirst: true },
  );
  return {
    queryId,
    embedding: { mode: embedding.mode, model: config.embeddingModel },
    degraded: embedding.degraded,
    ...found,
  };
}

/** @throws ServiceError `full_access_required`: an explanation tells of terms and numbers of the whole Team */
function assertMayExplain(request: FastifyRequest, explain: boolean): void {
  if (explain && request.teamScope.access !== 'full') throw new ServiceError('full_access_required');
}

/** POST /v1/memory/search: by meaning and by keyword at once, within the caller's scope. */
export const searchRoute: Routes = (app, deps) => {
  const { config } = deps;
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
        const body = request.body as Partial<SearchRequest> | null | undefined;
        assertMayExplain(request, body?.explain === true);
        // Before every other fault of the embedding, and so before its form is looked at.
        if (body?.embeddingMode === 'server' && !config.serverEmbeddings) {
          throw new ServiceError(
            'server_embedding_disabled',
            'Send queryEmbedding, or enable MEMORY_API_SERVER_EMBEDDINGS=1',
          );
        }
      },
    },
    (request, reply) => answerSearch(request, () => reply.elapsedTime, deps, embedder),
  );
};
