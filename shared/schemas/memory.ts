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

/** A vector as a client sends it. Its length is checked by hand: a wrong one has a code of its own. */
export const Vector = Type.Array(Type.Number(), { description: '1024 numbers' });

export const SearchRequest = Body({
  query: Text(4000),
  queryEmbedding: Type.Optional(Vector),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  embeddingMode: Type.Optional(OneOf(['server'])),
  scope: RequestedScope,
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: DEFAULT_TOP_K })),
  storeQueryText: Type.Optional(Type.Boolean()),
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
  kind: OneOf(['ingest', 'import', 'memory']),
  created_at: Time,
  location: Location,
};
export const Chunk = Type.Object(chunkFields);
export const Hit = Type.Object({
  ...chunkFields,
  score: Type.Number({ description: 'fused; comparable within one answer only' }),
  semantic_rank: Nullable(Type.Integer({ description: 'from 1; null where that leg did not find it' })),
  keyword_rank: Nullable(Type.Integer()),
});
export type Chunk = Static<typeof Chunk>;
export type Hit = Static<typeof Hit>;

export const SearchResponse = Type.Object({
  queryId: Id,
  embedding: Type.Object({ mode: OneOf(['client-provided', 'server']), model: Type.String() }),
  degraded: Type.Boolean({ description: 'true when the query could not be embedded: keywords alone' }),
  hits: Type.Array(Hit),
});

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
  scope: Type.Optional(RequestedScope),
  uri: Type.Optional(Text(2048)),
  externalId: Type.Optional(Name),
  metadata: Type.Optional(Metadata),
});
export type IngestRequest = Static<typeof IngestRequest>;

export const Source = Type.Object({
  id: Id,
  kind: OneOf(['ingest', 'import', 'memory']),
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
  duplicate: Type.Boolean(),
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
