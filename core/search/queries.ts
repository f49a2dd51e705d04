import {
  type Database,
  readOnce,
  type TeamTransaction,
  transaction,
  transactionWithFirstRead,
} from '../../db/driver/database.ts';
import { insertSearchEvent } from '../../db/queries/audit.ts';
import {
  type ChunkQuery,
  countDocuments,
  type FoundChunks,
  matchedWeights,
  type SearchFilters,
  type SearchTrace,
  searchAndCount,
  searchExplained,
} from '../../db/queries/search/search.ts';
import { selectNearbyChunks } from '../../db/queries/sources/chunks.ts';
import { countSources } from '../../db/queries/sources/lists.ts';
import { BehindError, readFromReplica } from '../../db/replica/follow-replica.ts';
import type { Config } from '../../shared/config.ts';
import { modelProfile } from '../../shared/embedding-models.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { type OccurredBounds, parseOccurredBounds, parseTime } from '../../shared/formats/times.ts';
import { isId, newId, parseId } from '../../shared/ids.ts';
import type { Hit, SearchRequest, SearchResponse } from '../../shared/schemas/search.ts';
import type { Chunk } from '../../shared/schemas/sources.ts';
import { narrowScope, type RequestedScope, requireRight, type TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import type { Dependencies } from '../dependencies.ts';
import { countFound, countOpened, countReturned } from '../feedback/commands.ts';
import { redactQuery } from '../redaction/redact.ts';
import { parseShape, shapeHits } from './answer.ts';
import {
  explainHits,
  explainOutside,
  explainSearch,
  findNamedSource,
  type InnerExplanation,
  termsToCount,
} from './explain.ts';
import { describeNothing } from './nothing.ts';
import { chooseVectorMode, findQueryVector, type QueryEmbedder } from './query-vector.ts';

/**
 * Parses the time filters of a search.
 * @throws ServiceError `invalid_request` for a time that does not exist or is out of range
 */
function parseTimeFilters(
  body: SearchRequest,
): Pick<SearchFilters, 'createdAfter' | 'createdBefore' | keyof OccurredBounds> {
  return {
    ...parseOccurredBounds(body),
    createdAfter: parseTime(body.createdAfter, '/createdAfter'),
    createdBefore: parseTime(body.createdBefore, '/createdBefore'),
  };
}

/**
 * Returns the distinct ids of the sources that a search is narrowed to, or undefined if it is not. A source outside the
 * scope that is searched has no hits. A source that the caller cannot read anywhere in the Team is not found.
 * @param reach the scope of the caller, not narrowed by the request
 * @throws ServiceError `not_found`
 */
async function findSourceFilter(
  database: Database,
  reach: TeamScope,
  sourceIds: readonly string[] | undefined,
): Promise<string[] | undefined> {
  if (sourceIds === undefined) return undefined;
  const ids = [...new Set(sourceIds.map(parseId))];
  const known = await readOnce(database, reach, (tx) => countSources(tx, ids));
  if (known < ids.length) throw new ServiceError('not_found');
  return ids;
}

/** The hits of a search; with an explanation, also how they were found. */
export interface FoundHits extends FoundChunks {
  explained?: { explain: InnerExplanation; trace: SearchTrace };
}

/** Finds the best chunks for a query, by meaning and by keyword, best first. */
async function findHits(tx: TeamTransaction, query: ChunkQuery): Promise<FoundHits> {
  return searchAndCount(tx, query);
}

/**
 * Finds the same hits as `findHits`, and explains the rank of each hit and the search as a whole.
 * @param embeddingMs how long the vector of the query took, in milliseconds
 */
async function findExplainedHits(
  tx: TeamTransaction,
  query: ChunkQuery,
  embeddingMs: number,
): Promise<FoundHits> {
  const began = performance.now();
  const { hits, trace, ...facets } = await searchExplained(tx, query);
  const statement = performance.now() - began;
  const { terms } = query;
  const matched = await matchedWeights(
    tx,
    hits.map((hit) => hit.chunk_id),
    terms.dims,
  );
  const counts = await countDocuments(tx, termsToCount(terms, trace));
  const explain = explainSearch(terms, trace, counts, { embedding: embeddingMs, statement });
  return { hits: explainHits(hits, matched, terms, trace), ...facets, explained: { explain, trace } };
}

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
    vectorWeight: modelProfile(config.embeddingModel, config.embeddingProfile).weight,
    topK: shape.topK,
    bySource: shape.bySource,
    facets: body.facets === true,
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
    const { hits, explained, ...facets } = await begin(from, scope, async (tx) => {
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
    if (explained === undefined) return { isAudited, stored, hits, ...facets, ...nothing };
    const search = { reach: currentScope, scope, query, hits, trace: explained.trace };
    const explain = await explainOutside(from, search, explained.explain, named);
    return { isAudited, stored, hits, ...facets, ...nothing, explain };
  });
  const { isAudited, stored, hits, ...explanation } = found;
  // A replica stores nothing. The hits are returned only when the primary has stored the event.
  if (!isAudited) {
    await transaction(database, scope, async (tx) => audit(tx, hits, stored.query), 'auto');
  }
  countFound(
    database,
    scope,
    hits.map((hit) => hit.source_id),
  );
  countReturned(database, scope, returnedTexts(hits));
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

/** The texts of an answer, each once: a hit is the first of its passages. */
function returnedTexts(hits: readonly Hit[]): Pick<Chunk, 'text'>[] {
  return hits.flatMap((hit) => [...(hit.before ?? []), ...(hit.passages ?? [hit]), ...(hit.after ?? [])]);
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

/** A chunk, how many neighbours to return on each side, and the part of the scope to read. */
export interface ChunkExpansion {
  chunkId: string;
  before: number;
  after: number;
  scope: RequestedScope | undefined;
}

/**
 * Returns a chunk and its neighbours in the same source, in order. Empty for an id that is unknown, malformed or out of
 * scope, so that the result does not tell whether the chunk exists.
 * @throws ServiceError `scope_forbidden` for a client that the caller cannot read
 */
export async function expandChunk(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { chunkId, before, after, scope: requested }: ChunkExpansion,
): Promise<Chunk[]> {
  const narrowed = requested === undefined ? scope : narrowScope(scope, requested);
  if (!isId(chunkId)) return [];
  const chunks = await readFromReplica(database, narrowed, async (from) => {
    const found = await readOnce(from, narrowed, (tx) => selectNearbyChunks(tx, chunkId, before, after));
    if (found.length === 0 && from !== database) throw new BehindError();
    return found;
  });
  const [first] = chunks;
  if (first !== undefined) countOpened(database, scope, first.source_id);
  countReturned(database, scope, chunks);
  return chunks;
}
