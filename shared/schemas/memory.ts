import { type Static, Type } from 'typebox';
import { shapedHitFields, shapeFields } from './answer-shape.ts';
import {
  Body,
  CreatedFilters,
  CreatedWith,
  ExpiresAt,
  Id,
  MAX_NAME,
  Metadata,
  Name,
  NOT_BLANK,
  Nullable,
  OccurredAt,
  OccurredFilters,
  OneOf,
  Redactions,
  SourceKind,
  StoredExpiry,
  StoredOccurrence,
  Text,
  Time,
  Use,
} from './common.ts';
import { Vector } from './embeddings.ts';
import { HitExplanation, Nothing, SearchExplanation } from './explanation.ts';
import { Place } from './place.ts';
import { RequiredTags, StoredTags, Tags } from './tags.ts';

/** Defaults of requests. */
export const DEFAULT_TOP_K = 8;
export const MAX_TOP_K = 50;
export const DEFAULT_NEIGHBOURS = 2;

/** The longest texts of some fields, in characters: of a query, a uri, and a chunk of a request. */
export const MAX_QUERY = 4000;
export const MAX_URI = 2048;
export const MAX_CHUNK = 8000;

export const LayerKind = OneOf(['team', 'client']);
export type LayerKind = Static<typeof LayerKind>;

export const RequestedScope = Body(
  {
    clientId: Type.Optional(Type.String()),
    include: Type.Optional(Type.Array(LayerKind, { minItems: 1, maxItems: 2, uniqueItems: true })),
  },
  'The layers to read. By default the Team layer, and with a clientId also the layer of that client; ' +
    '`include` chooses others. Without a scope, a search reads as with `{}`, and expand reads every layer that the caller ' +
    'can reach',
);

/** The layer to write to. A write has exactly one layer, so this has no `include`. */
export const WriteScope = Body(
  { clientId: Type.Optional(Type.String()) },
  'The layer to write to: that of the client, or the Team layer if there is no clientId. `include` is not allowed. Without ' +
    'a scope, the Team layer; for an item of a batch, the layer of its captures',
);

/** The most sources that one search can be narrowed to. */
const MAX_SOURCE_IDS = 200;

export const SearchRequest = Body({
  query: Text(MAX_QUERY),
  queryEmbedding: Type.Optional(Vector),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  embeddingMode: Type.Optional(
    OneOf(
      ['auto', 'server', 'keyword'],
      'auto: the queryEmbedding of the request if there is one, else as server where the service makes vectors, else as ' +
        'keyword. server: a worker makes the vector of the query. keyword: search by words only. server and keyword ' +
        'ignore queryEmbedding. Without a mode, queryEmbedding is required',
    ),
  ),
  scope: Type.Optional(RequestedScope),
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TOP_K, default: DEFAULT_TOP_K })),
  ...shapeFields,
  storeQueryText: Type.Optional(Type.Boolean()),
  kinds: Type.Optional(
    Type.Array(SourceKind, { minItems: 1, uniqueItems: true, description: 'return only these kinds' }),
  ),
  sourceIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_SOURCE_IDS,
      description: 'return only hits of these sources; 404 if the caller cannot read one of them',
    }),
  ),
  ...CreatedFilters,
  ...OccurredFilters,
  tags: Type.Optional(RequiredTags),
  minSimilarity: Type.Optional(
    Type.Number({
      minimum: -1,
      maximum: 1,
      description: 'minimum cosine of hits found by meaning; hits found by keyword are not affected',
    }),
  ),
  explain: Type.Optional(
    Type.Boolean({ description: 'explain the search and each hit; requires Full access' }),
  ),
  explainSource: Type.Optional(
    Type.String({
      description:
        'source to explain: why it is among the hits or not. Implies `explain`, and requires Full access; 404 if the ' +
        'caller cannot read the source',
    }),
  ),
});
export type SearchRequest = Static<typeof SearchRequest>;

/** The title of the document, and the place of the chunk in it. */
const Location = Type.Object({
  document_title: Nullable(Type.String({ description: 'title from the metadata of the document' })),
  ...Place.properties,
});

const chunkFields = {
  chunk_id: Id,
  source_id: Id,
  title: Type.String(),
  uri: Nullable(Type.String()),
  text: Type.String(),
  ordinal: Type.Integer({ description: 'position within the source, from 0' }),
  layer: LayerKind,
  client_id: Nullable(Id),
  kind: SourceKind,
  tags: StoredTags,
  created_at: Time,
  occurred_at: StoredOccurrence,
  location: Location,
};
export const Chunk = Type.Object(chunkFields);
export const Hit = Type.Object({
  ...chunkFields,
  score: Type.Number({ description: 'fused score; comparable only within one answer' }),
  semantic_rank: Nullable(
    Type.Integer({ description: 'from 1; null if the vector search did not find the passage' }),
  ),
  keyword_rank: Nullable(Type.Integer()),
  explain: Type.Optional(HitExplanation),
  ...shapedHitFields(Chunk),
});
/** What the service knows of a chunk besides. The schemas do not have it, so no answer does. */
interface Unsent {
  /** How many characters at the beginning of its text repeat the heading row of a table. */
  repeated?: number;
}
export type Chunk = Static<typeof Chunk> & Unsent;
export type Hit = Omit<Static<typeof Hit>, 'passages'> & Unsent & { passages?: Chunk[] };

export const SearchResponse = Type.Object({
  queryId: Id,
  embedding: Type.Object({
    mode: OneOf(
      ['client-provided', 'server', 'keyword'],
      'how the vector of the query was made; keyword: it was searched by words only',
    ),
    model: Type.String(),
  }),
  degraded: Type.Boolean({
    description:
      'true if the query could not be embedded in server mode, so that only the keyword search ran',
  }),
  hits: Type.Array(Hit),
  nothing: Type.Optional(Nothing),
  explain: Type.Optional(SearchExplanation),
  redactions: Type.Optional({
    ...Redactions,
    description:
      'present with `storeQueryText`: credentials in the query, which are masked in what is stored',
  }),
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
  text: Type.Optional(Type.String({ minLength: 1, ...NOT_BLANK })),
  chunks: Type.Optional(
    Type.Array(Body({ text: Text(MAX_CHUNK), embedding: Type.Optional(Vector) }), {
      minItems: 1,
      maxItems: 2000,
    }),
  ),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  scope: Type.Optional(WriteScope),
  uri: Type.Optional(Text(MAX_URI)),
  externalId: Type.Optional(
    Text(
      MAX_NAME,
      'identifies one source of the layer: a different text replaces its passages, the same text updates its fields; ' +
        'an omitted uri, metadata, tags, occurredAt or expiresAt keeps its value',
    ),
  ),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  occurredAt: Type.Optional(OccurredAt),
  expiresAt: Type.Optional(ExpiresAt),
});
export type IngestRequest = Static<typeof IngestRequest>;

/** The file that a source was made of. */
export const Original = Type.Object({
  mediaType: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String({ description: 'in hexadecimal' }),
});
export type Original = Static<typeof Original>;

export const Source = Type.Object({
  id: Id,
  kind: SourceKind,
  title: Type.String(),
  uri: Nullable(Type.String()),
  externalId: Nullable(Type.String()),
  layer: LayerKind,
  clientId: Nullable(Id),
  state: OneOf(['active', 'archived']),
  tags: StoredTags,
  chunks: Type.Integer(),
  sameAs: Nullable(
    Id,
    'the first source of the layer with the same text, if this is an imported file and not the first',
  ),
  memoryId: Type.Optional(
    Type.String({
      description: 'the published memory whose text it is. Only in the list and the answer of one source',
    }),
  ),
  occurredAt: StoredOccurrence,
  expiresAt: StoredExpiry,
  original: Nullable(
    Original,
    'the file of the import that the source was made of, if it was kept; null while the source is archived',
  ),
  ...Use,
  createdBy: Id,
  createdWith: CreatedWith,
  createdAt: Time,
  updatedAt: Time,
});
export type Source = Static<typeof Source>;

/** A source whose text is nearly the same as that of another source of its scope. */
export const SimilarSource = Type.Object({
  sourceId: Id,
  title: Type.String(),
  similarity: Type.Number({
    description: 'estimated share of pairs of neighbouring words that both texts have: from 0.75 to 1',
  }),
});
export type SimilarSource = Static<typeof SimilarSource>;
export const SimilarSources = Type.Array(SimilarSource, {
  description:
    'up to five active sources of the same scope with nearly the same text, the most similar first; the text is stored ' +
    'all the same. Empty for a text of fewer than ten words',
});

export const IngestResponse = Type.Object({
  source: Source,
  chunks: Type.Integer(),
  embedded: Type.Integer(),
  duplicate: Type.Boolean({ description: 'the text was already stored, and nothing changed' }),
  updated: Type.Optional(
    Type.Array(OneOf(['title', 'uri', 'metadata', 'tags', 'occurredAt', 'expiresAt']), {
      description: 'fields that changed in the source with this externalId; present if the text was the same',
    }),
  ),
  similarSources: SimilarSources,
  redactions: Type.Optional(Redactions),
});
export type IngestResponse = Static<typeof IngestResponse>;
