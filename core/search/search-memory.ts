import { type TeamTransaction, transaction, transactionWithFirstRead } from '../../db/driver/database.ts';
import { insertSearchEvent } from '../../db/queries/identity/audit.ts';
import type { ChunkQuery } from '../../db/queries/search/search.ts';
import { readFromReplica } from '../../db/replica/read-from-replica.ts';
import type { Config } from '../../shared/config.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { newId } from '../../shared/ids.ts';
import type { Hit, SearchRequest, SearchResponse } from '../../shared/schemas/memory.ts';
import { narrowScope, requireRight, type TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms.ts';
import type { Dependencies } from '../dependencies.ts';

import { countFound } from '../feedback/count-uses.ts';
import { redactQuery } from '../redaction/redact-query.ts';

import { explainOutside } from './explain-outside.ts';
import { findNamedSource } from './explain-source.ts';
import { findSourceFilter, parseTimeFilters } from './filters.ts';
import { findExplainedHits, findHits } from './find-hits.ts';
import { describeNothing } from './nothing/describe-nothing.ts';
import type { QueryEmbedder } from './query-embedder.ts';
import { chooseVectorMode, findQueryVector } from './query-vector.ts';
import { parseShape, shapeHits } from './shape-answer.ts';

type Needed = Pick<Dependencies, 'config' | 'database'> & { embedder: QueryEmbedder };

/** The caller of a search. */
export interface SearchCaller {
  /** The scope when the request arrived. */
  scope: TeamScope;
  /** Rechecks the rights of the caller if the request has taken long, and returns the current scope. */
  recheckScope: () => Promise<TeamScope>;
}

/**
 * Refuses what is refused before the body is validated: an explanation for a caller without Full access, and server
 * mode if the service makes no embeddings.
 * @throws ServiceError `full_access_required`, `server_embedding_disabled`
 */
export function assertSearchAllowed(
  { serverEmbeddings }: Pick<Config, 'serverEmbeddings'>,
  scope: TeamScope,
  body: Partial<SearchRequest> | null | undefined,
): void {
  assertCanExplain(scope, body);
  if (body?.embeddingMode === 'server' && !serverEmbeddings) {
    throw new ServiceError(
      'server_embedding_disabled',
      'Send "embeddingMode": "auto", or queryEmbedding, or "embeddingMode": "keyword"; or start the service with ' +
        'MEMORY_API_SERVER_EMBEDDINGS=1',
    );
  }
}

/**
 * Searches by meaning and by keyword within the scope of the caller. A query, not a command: it locks nothing. Its audit
 * event is part of the transaction, or is stored after it if a replica was read.
 * @throws ServiceError `invalid_request`, `query_embedding_required`, `embedding_model_mismatch`,
 *   `embedding_dimension_mismatch`, `full_access_required`, `scope_forbidden`, `not_found` for a source, `secret_detected`; as `recheckScope`
 */
export async function searchMemory(
  deps: Needed,
  caller: SearchCaller,
  body: SearchRequest,
): Promise<SearchResponse> {
  const { config, database } = deps;
  const times = parseTimeFilters(body);
  const shape = parseShape(body);
  const tags = body.tags === undefined ? {} : { tags: parseTags(body.tags) };
  const mode = chooseVectorMode(config, body);
  if (mode === 'server') {
    // Checked again below. Here, so that a request that is refused does not wait for a vector.
    narrowScope(caller.scope, body.scope);
    await findSourceFilter(database, caller.scope, body.sourceIds);
    await findNamedSource(database, caller.scope, body.explainSource);
    // The job of a vector stores the query until it is done.
    await redactQuery(config, caller.scope, body);
  }
  const began = performance.now();
  const vector = await findQueryVector(deps, caller.scope, body, mode);
  const embeddingMs = performance.now() - began;
  const currentScope = await caller.recheckScope();
  assertCanExplain(currentScope, body);
  const scope = narrowScope(currentScope, body.scope);
  const filters = {
    ...times,
    ...tags,
    ...(body.kinds === undefined ? {} : { kinds: body.kinds }),
    ...(body.minSimilarity === undefined ? {} : { minSimilarity: body.minSimilarity }),
    terms: queryTerms(scope.teamId, body.query),
    embedding: vector,
    model: config.embeddingModel,
    topK: shape.topK,
    bySource: shape.bySource,
  };
  const queryId = newId();
  const audit = (tx: TeamTransaction, hits: readonly Hit[], query: string | null) =>
    insertEvent(tx, { queryId, body, topK: filters.topK, hits, query });
  const isExplained = wantsExplanation(body);
  // An explanation has more statements, which the plans of `transaction` suit.
  const begin = isExplained ? transaction : transactionWithFirstRead;
  const found = await readFromReplica(database, currentScope, async (from) => {
    const sourceIds = await findSourceFilter(from, currentScope, body.sourceIds);
    const named = await findNamedSource(from, currentScope, body.explainSource);
    // A source that is not found is refused first.
    const stored = await redactQuery(config, currentScope, body);
    const query: ChunkQuery = { ...filters, ...(sourceIds === undefined ? {} : { sourceIds }) };
    const isAudited = from === database;
    const { hits, explained } = await begin(from, scope, async (tx) => {
      const result = await (isExplained ? findExplainedHits(tx, query, embeddingMs) : findHits(tx, query));
      const hits = await shapeHits(tx, result.hits, shape);
      if (isAudited) audit(tx, hits, stored.query);
      return { ...result, hits };
    });
    const nothing =
      hits.length > 0
        ? {}
        : {
            nothing: await describeNothing(from, config, {
              scope,
              query: body.query,
              hasVector: vector !== null,
            }),
          };
    if (explained === undefined) return { isAudited, stored, hits, ...nothing };
    const search = { reach: currentScope, scope, query, hits, trace: explained.trace };
    const explain = await explainOutside(from, search, explained.explain, named);
    return { isAudited, stored, hits, ...nothing, explain };
  });
  const { isAudited, stored, hits, ...explanation } = found;
  // A replica stores nothing. The hits are returned only when the primary has stored the event.
  if (!isAudited) {
    await transaction(database, scope, async (tx) => audit(tx, hits, stored.query), 'auto');
  }
  countFound(
    database,
    scope.teamId,
    hits.map((hit) => hit.source_id),
  );
  return {
    queryId,
    embedding: { mode, model: config.embeddingModel },
    degraded: mode === 'server' && vector === null,
    hits,
    ...stored.answer,
    ...explanation,
  };
}

type ExplanationFields = Pick<Partial<SearchRequest>, 'explain' | 'explainSource'>;

function wantsExplanation(body: ExplanationFields | null | undefined): boolean {
  return body?.explain === true || body?.explainSource !== undefined;
}

/** An explanation shows terms and counts of the whole Team. */
function assertCanExplain(scope: TeamScope, body: ExplanationFields | null | undefined): void {
  if (wantsExplanation(body)) requireRight(scope, 'explainSearch');
}

/** The passages of grouped hits, without the hits themselves. */
function passageIds(hits: readonly Hit[]): string[] {
  return hits.flatMap(({ chunk_id, passages = [] }) =>
    passages.map((passage) => passage.chunk_id).filter((id) => id !== chunk_id),
  );
}

/** A search that was answered. */
interface AnsweredSearch {
  queryId: string;
  body: SearchRequest;
  topK: number;
  hits: readonly Hit[];
  /** The text to store, or null. */
  query: string | null;
}

function insertEvent(
  tx: TeamTransaction,
  { queryId, body: { scope = {} }, topK, hits, query }: AnsweredSearch,
): void {
  insertSearchEvent(
    tx,
    {
      kind: 'memory.search',
      subjectType: 'query',
      subjectId: queryId,
      // The event of a search within a client is hidden when the client is archived.
      ...(scope.clientId === undefined ? {} : { clientId: scope.clientId.toLowerCase() }),
      detail: { scope, topK },
    },
    { query, hitIds: hits.map((hit) => hit.chunk_id), passageIds: passageIds(hits) },
  );
}
