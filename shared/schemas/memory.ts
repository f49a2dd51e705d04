import { type Static, Type } from 'typebox';
import { Body, Id, Metadata, Name, Nullable, OneOf, Text, Time } from './common.ts';

/** What counts where a request says nothing. */
export const DEFAULT_TOP_K = 8;
export const DEFAULT_NEIGHBOURS = 2;
export const DEFAULT_EMBEDDINGS_CLAIM = 64;

export const Layer = OneOf(['team', 'client']);

export const RequestedScope = Body(
  {
    clientId: Type.Optional(Type.String()),
    include: Type.Optional(Type.Array(Layer, { minItems: 1, maxItems: 2, uniqueItems: true })),
  },
  'Which layers are meant: the Team layer without a client, both with one, or as `include` says',
);

/** Where a write goes. It goes to one layer, so there is nothing to include. */
export const WriteScope = Body(
  { clientId: Type.Optional(Type.String()) },
  'The client that is written to; without one the Team layer. `include` is for reading only',
);

/** A vector as a client sends it. Its length is checked by hand: a wrong one has a code of its own. */
export const Vector = Type.Array(Type.Number(), { description: '1024 numbers' });

const Kind = OneOf(['ingest', 'import', 'memory']);

/** The most sources that one search can be narrowed to. */
const MAX_SOURCE_IDS = 200;

export const SearchRequest = Body({
  query: Text(4000),
  queryEmbedding: Type.Optional(Vector),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  embeddingMode: Type.Optional(OneOf(['server'])),
  scope: RequestedScope,
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: DEFAULT_TOP_K })),
  storeQueryText: Type.Optional(Type.Boolean()),
  kinds: Type.Optional(
    Type.Array(Kind, { minItems: 1, uniqueItems: true, description: 'hits of these kinds alone' }),
  ),
  sourceIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_SOURCE_IDS,
      description: 'hits of these sources alone; one out of the caller’s reach is 404',
    }),
  ),
  createdAfter: Type.Optional(
    Type.String({ format: 'date-time', description: 'hits whose created_at is later alone' }),
  ),
  createdBefore: Type.Optional(
    Type.String({ format: 'date-time', description: 'hits whose created_at is earlier alone' }),
  ),
  minSimilarity: Type.Optional(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'cosine below which nothing is found by meaning; what keywords find stays',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({ description: 'tells how each hit and the whole came about; for Full access' }),
  ),
});
export type SearchRequest = Static<typeof SearchRequest>;

/** Where in its document a chunk stands, as far as the format tells. */
const Location = Type.Object({
  document_title: Nullable(Type.String({ description: 'by the document’s own word' })),
  headings: Type.Array(Type.String(), { description: 'above the chunk, outermost first' }),
  page: Nullable(Type.Integer({ description: 'from 1' })),
});

const chunkFields = {
  chunk_id: Id,
  source_id: Id,
  title: Type.String(),
  uri: Nullable(Type.String()),
  text: Type.String(),
  ordinal: Type.Integer({ description: 'place within the source, from 0' }),
  layer: Layer,
  client_id: Nullable(Id),
  kind: Kind,
  created_at: Time,
  location: Location,
};
export const Chunk = Type.Object(chunkFields);
/** A term of the query as a person reads it. */
const termFields = {
  term: Type.String({ description: 'as normalised; of a gram its characters, _ before the first of a word' }),
  kind: OneOf(['exact', 'gram']),
};

/** How a hit came to its place. */
export const HitExplanation = Type.Object({
  similarity: Nullable(
    Type.Number({ description: 'cosine, also where that leg did not find it; null without a vector' }),
  ),
  semantic_z: Type.Number({ description: 'standard deviations above the mean of the vector leg' }),
  keyword_score: Type.Number({ description: 'BM25, the sum of the terms’ weights' }),
  keyword_z: Type.Number({
    description:
      'deviations above the mean of the keyword leg, doubled; a deviation is at least a share of the query’s whole weight',
  }),
  identifier: Type.Boolean({
    description: 'holds a rare code of the query, and stands before those that do not',
  }),
  terms: Type.Array(Type.Object({ ...termFields, weight: Type.Number() }), {
    description: 'the query’s terms that it holds, the heaviest first',
  }),
});
export type HitExplanation = Static<typeof HitExplanation>;

export const Hit = Type.Object({
  ...chunkFields,
  score: Type.Number({ description: 'fused; comparable within one answer only' }),
  semantic_rank: Nullable(Type.Integer({ description: 'from 1; null where that leg did not find it' })),
  keyword_rank: Nullable(Type.Integer()),
  explain: Type.Optional(HitExplanation),
});
export type Chunk = Static<typeof Chunk>;
export type Hit = Static<typeof Hit>;

/** How a search went. */
export const SearchExplanation = Type.Object({
  terms: Type.Array(
    Type.Object({
      ...termFields,
      documents: Type.Number({ description: 'chunks of the scope that hold it, estimated' }),
      weight: Type.Number({ description: 'of the query’s side: its idf and what the query makes of it' }),
    }),
    { description: 'what the query asks for by keyword, the heaviest first' },
  ),
  keyword: Type.Object({
    keys: Type.Array(
      Type.Object({
        key: Type.String({ description: 'a whole term, or the beginning of a word and *' }),
        read: Type.Boolean({ description: 'false where it stands in too many chunks to find any by' }),
        identifier: Type.Boolean({ description: 'a rare code, which puts its chunks before all others' }),
      }),
    ),
    candidates: Type.Integer({ description: 'chunks that hold a key that was read: all that were scored' }),
    hits: Type.Integer(),
  }),
  semantic: Nullable(
    Type.Object({
      path: OneOf(['exact', 'quantised']),
      candidates: Type.Integer({ description: 'chunks with a vector of the model, all of them compared' }),
      hits: Type.Integer({ description: 'the nearest, which minSimilarity may still lessen' }),
    }),
    'null where the query has no vector',
  ),
  filtered: Nullable(Type.Integer(), 'how many chunks passed the filters; null without one'),
  counted: Nullable(
    Type.Object({ chunks: Type.Integer(), sampled: Type.Integer(), at: Time }),
    'from how many of the scope’s chunks `documents` was counted, and when the oldest of its layers was; null where none was',
  ),
  milliseconds: Type.Object({
    embedding: Type.Number({ description: 'making the query’s vector, or checking the one sent' }),
    weights: Type.Number(),
    filters: Type.Number(),
    keyword: Type.Number(),
    semantic: Type.Number(),
    fusion: Type.Number(),
    statement: Type.Number({ description: 'all these but the embedding, and reading the text' }),
  }),
});
export type SearchExplanation = Static<typeof SearchExplanation>;

export const SearchResponse = Type.Object({
  queryId: Id,
  embedding: Type.Object({ mode: OneOf(['client-provided', 'server']), model: Type.String() }),
  degraded: Type.Boolean({ description: 'true when the query could not be embedded: keywords alone' }),
  hits: Type.Array(Hit),
  explain: Type.Optional(SearchExplanation),
});
export type SearchResponse = Static<typeof SearchResponse>;

const Neighbours = Type.Optional(Type.Integer({ minimum: 0, maximum: 10, default: DEFAULT_NEIGHBOURS }));
export const ExpandRequest = Body({
  chunkId: Type.String(),
  scope: Type.Optional(RequestedScope),
  before: Neighbours,
  after: Neighbours,
});
export const ExpandResponse = Type.Object({ chunks: Type.Array(Chunk) });

export const IngestRequest = Body({
  title: Name,
  text: Type.Optional(Type.String({ minLength: 1, pattern: '\\S' })),
  chunks: Type.Optional(
    Type.Array(Body({ text: Text(8000), embedding: Type.Optional(Vector) }), { minItems: 1, maxItems: 2000 }),
  ),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  scope: Type.Optional(WriteScope),
  uri: Type.Optional(Text(2048)),
  externalId: Type.Optional(
    Text(
      300,
      'names one source of the scope: another text replaces its chunks, the same text updates its fields; ' +
        'an omitted uri or metadata keeps its value',
    ),
  ),
  metadata: Type.Optional(Metadata),
});
export type IngestRequest = Static<typeof IngestRequest>;

export const Source = Type.Object({
  id: Id,
  kind: Kind,
  title: Type.String(),
  uri: Nullable(Type.String()),
  externalId: Nullable(Type.String()),
  layer: Layer,
  clientId: Nullable(Id),
  state: OneOf(['active', 'archived']),
  chunks: Type.Integer(),
  createdBy: Id,
  createdAt: Time,
  updatedAt: Time,
});
export type Source = Static<typeof Source>;
export const IngestResponse = Type.Object({
  source: Source,
  chunks: Type.Integer(),
  embedded: Type.Integer(),
  duplicate: Type.Boolean({ description: 'the text was stored already, and nothing changed' }),
  updated: Type.Optional(
    Type.Array(OneOf(['title', 'uri', 'metadata']), {
      description: 'fields that changed in the source of the externalId, where the text was the same',
    }),
  ),
});

export const EmbeddingsClaimRequest = Body({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 256, default: DEFAULT_EMBEDDINGS_CLAIM })),
});
export const EmbeddingsClaimResponse = Type.Object({
  batch: Nullable(
    Type.Object({
      id: Id,
      expiresAt: Time,
      chunks: Type.Array(Type.Object({ chunkId: Id, text: Type.String() })),
    }),
  ),
});
export const EmbeddingsCompleteRequest = Body({
  batchId: Type.String(),
  embeddingModel: Type.String({ maxLength: 300 }),
  embeddingDim: Type.Integer(),
  embeddings: Type.Array(Body({ chunkId: Type.String(), embedding: Vector }), { minItems: 0, maxItems: 256 }),
});
export type EmbeddingsCompleteRequest = Static<typeof EmbeddingsCompleteRequest>;
export const EmbeddingsCompleteResponse = Type.Object({ embedded: Type.Integer() });

export const Embedder = Type.Object({
  mode: OneOf(['client-provided', 'server']),
  model: Type.String(),
  dim: Type.Integer(),
  serverModeEnabled: Type.Boolean(),
  problem: Type.Optional(
    Type.String({
      description:
        'why no worker makes vectors now, where the service is to make them; searches answer from keywords',
    }),
  ),
});
export const Health = Type.Object({
  ok: Type.Boolean(),
  backend: OneOf(['postgres', 'pglite']),
  embedder: Embedder,
});
