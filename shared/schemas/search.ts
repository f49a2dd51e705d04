import { type Static, type TSchema, Type } from 'typebox';
import {
  Body,
  CreatedFilters,
  Id,
  Nullable,
  OccurredFilters,
  OneOf,
  Redactions,
  RequestedScope,
  SourceKind,
  Text,
  Time,
} from './common.ts';
import { Vector } from './embeddings.ts';
import { Chunk, chunkFields, RequiredTags, type Unsent } from './sources.ts';

/** The most characters of the neighbours of one answer. */
export const MAX_NEIGHBOUR_CHARACTERS = 32_000;

/** Fields of a search that shape its answer. */
const shapeFields = {
  neighbours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2,
      default: 0,
      description:
        'return up to this many passages before and after each hit, of the same source. No passage is returned twice: it ' +
        `belongs to the better hit. The best hits are filled first, up to ${MAX_NEIGHBOUR_CHARACTERS} characters in total`,
    }),
  ),
  group: Type.Optional(
    OneOf(
      ['source'],
      'source: return one hit for each source, with up to three of its passages, in `passages`',
    ),
  ),
  maxCharacters: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200_000,
      description:
        'in place of topK: return as many hits as fit, up to 50. All texts of the answer count: first hits, then ' +
        'passages, then neighbours. A first hit that is longer is returned alone',
    }),
  ),
};

/** Fields of a hit that depend on the shape of the answer. */
const shapedHitFields = <T extends TSchema>(chunk: T) => ({
  duplicates: Type.Integer({
    description:
      'how many other passages that the search found have an equal text, without regard to case and white space; only ' +
      'the newest is returned',
  }),
  before: Type.Optional(
    Type.Array(chunk, { description: 'passages before the hit, in order; with neighbours' }),
  ),
  after: Type.Optional(
    Type.Array(chunk, { description: 'passages after the hit, in order; with neighbours' }),
  ),
  passages: Type.Optional(
    Type.Array(chunk, {
      description: 'the best passages of the source, best first, beginning with the hit itself; with group',
    }),
  ),
});

/** A term of the query, in readable form. */
const termFields = {
  term: Type.String({
    description: 'normalized; for a gram its characters, with _ before the first character of a word',
  }),
  kind: OneOf(['exact', 'gram']),
};

/** Why a hit has its rank. */
export const HitExplanation = Type.Object({
  similarity: Nullable(
    Type.Number({
      description: 'cosine, also if the vector search did not find the passage; null without a vector',
    }),
  ),
  semantic_z: Type.Number({
    description: 'standard deviations above the mean of the vector search, times the weight of the model',
  }),
  keyword_score: Type.Number({ description: 'BM25, the sum of the terms’ weights' }),
  guessed_score: Type.Optional(
    Type.Number({
      description:
        'what words of the passage add to keyword_score that the words of a short query can stand for: another form, a ' +
        'longer word with it, the word without a typing error. Absent without such words',
    }),
  ),
  source_evidence: Type.Optional(
    Type.Number({
      description:
        'what the best three passages of the same source that the keyword search found add to keyword_score, or to the ' +
        'lowest score if it did not find this one; 0 for the only one. Absent if it found none',
    }),
  ),
  keyword_z: Type.Number({
    description:
      'two and a half times the standard deviations of keyword_score + guessed_score + source_evidence above the mean of ' +
      'the keyword search; the deviation is at least a share of the query’s total weight',
  }),
  identifier: Type.Boolean({
    description: 'contains a rare code of the query, and therefore ranks before hits that do not',
  }),
  terms: Type.Array(Type.Object({ ...termFields, weight: Type.Number() }), {
    description: 'terms of the query that the passage contains, highest weight first',
  }),
});
export type HitExplanation = Static<typeof HitExplanation>;

/** Why one source is not among the hits. */
export const SourceExplanation = Type.Object(
  {
    sourceId: Id,
    found: Type.Boolean({ description: 'whether a passage of it is among the hits' }),
    reason: OneOf(
      ['found', 'archived', 'not_in_scope', 'filtered', 'below_top_k', 'pending', 'no_shared_terms'],
      'the first that applies. found: it is among the hits. archived: it has no passages any longer. not_in_scope: its ' +
        'layer is not in the scope of the search. below_top_k: other passages rank before it. filtered: all of its ' +
        'passages are excluded by a filter, or by minSimilarity. pending: no word matches, and its passages have no ' +
        'vectors yet. no_shared_terms: no word matches, and the query has no vector',
    ),
    rank: Nullable(
      Type.Integer({
        description: 'of its best passage among all candidates, from 1; hits are the first of them',
      }),
      'null if it is no candidate. With below_top_k: it is not among the best 50 by meaning or by keyword, or it ' +
        'shares only words that are too common to be read',
    ),
    terms: Type.Array(Type.Object({ ...termFields, weight: Type.Number() }), {
      description: 'terms of the query that its best passage contains, highest weight first',
    }),
  },
  { description: 'present with explainSource' },
);
export type SourceExplanation = Static<typeof SourceExplanation>;

/** How a search was executed. */
export const SearchExplanation = Type.Object({
  terms: Type.Array(
    Type.Object({
      ...termFields,
      documents: Type.Integer({
        description:
          'number of passages of the scope that contain the term, whether or not they pass the filters',
      }),
      scaled: Type.Boolean({
        description:
          'true if `documents` was scaled from a sample, so that 0 means few or none. false if the passages were counted: ' +
          'always in a scope of up to 4,000 passages, unless the query has hundreds of words; in a larger one for rare words',
      }),
      weight: Type.Number({
        description: 'weight in the query: the idf times the factor of the kind of term',
      }),
    }),
    { description: 'terms of the query, highest weight first' },
  ),
  keyword: Type.Object({
    keys: Type.Array(
      Type.Object({
        key: Type.String({ description: 'a whole term, or the first characters of a word followed by *' }),
        read: Type.Boolean({
          description: 'false if the key was skipped because too many passages contain it',
        }),
        identifier: Type.Boolean({
          description: 'whether it is a rare code; passages with one rank before all others',
        }),
      }),
    ),
    candidates: Type.Integer({
      description: 'passages that contain a key that was read; all of them were scored',
    }),
    hits: Type.Integer(),
  }),
  semantic: Nullable(
    Type.Object({
      path: OneOf(['exact', 'quantised', 'graph']),
      candidates: Type.Integer({
        description:
          'passages with a vector of the model; all of them were compared, unless the path is graph',
      }),
      hits: Type.Integer({ description: 'nearest passages, before minSimilarity is applied' }),
    }),
    'null if the query has no vector',
  ),
  filtered: Nullable(Type.Integer(), 'number of passages that passed the filters; null without a filter'),
  counted: Nullable(
    Type.Object({ chunks: Type.Integer(), sampled: Type.Integer(), at: Time }),
    'how many of the scope’s passages were counted for the weights, and the oldest count of its layers; null if no layer ' +
      'has been counted',
  ),
  otherLayers: Type.Object(
    {
      candidates: Type.Integer({
        description:
          'passages that contain a key of the query that was read; filters are not applied to them',
      }),
      limited: Type.Optional(
        Type.Boolean({
          description: 'true if counting stopped at this number, and there are more; else absent',
        }),
      ),
    },
    {
      description:
        'what is in the layers that the caller can read, but that are not in the scope of the search',
    },
  ),
  source: Type.Optional(SourceExplanation),
  milliseconds: Type.Object({
    embedding: Type.Number({
      description: 'making the vector of the query, or checking the one that was sent',
    }),
    weights: Type.Number(),
    filters: Type.Number(),
    keyword: Type.Number(),
    semantic: Type.Number(),
    fusion: Type.Number(),
    statement: Type.Number({
      description:
        'the whole statement: all of these except embedding, comparing texts, and reading the text of the hits',
    }),
  }),
});
export type SearchExplanation = Static<typeof SearchExplanation>;

/** An import or a workspace file that searches do not find. */
const WaitingName = Type.Object({
  importId: Type.Optional({ ...Id, description: 'of an import' }),
  path: Type.Optional(Type.String({ description: 'of a workspace file' })),
  state: OneOf(
    ['queued', 'running', 'pending', 'failed'],
    'of an import: queued, running or failed; of a file: pending or failed',
  ),
  title: Type.String({ description: 'of a file: the last segment of its path' }),
});
export type WaitingName = Static<typeof WaitingName>;

/** Why a search has no hits, and what to try. */
export const Nothing = Type.Object(
  {
    legs: Type.Array(OneOf(['words', 'codes', 'vectors']), {
      description:
        'what was searched. words, codes: the query has some, such as `invoice` or `HR-2210`. vectors: the vector of the ' +
        'query was compared',
    }),
    unknownWords: Type.Array(Type.String(), {
      description:
        'words and codes of the query that no passage has in its text, its headings or its title, as they were typed, each once',
    }),
    waiting: Type.Array(WaitingName, {
      description:
        'up to five imports and workspace files whose name shares a word with the query, and that searches do not find: ' +
        'they wait, are being read or have failed. Those that share the most words come first',
    }),
    nearest: Nullable(
      Type.Object({ sourceId: Id, title: Type.String() }),
      'the source whose title shares the most with the query, by three letters in a row; null if no title shares three',
    ),
  },
  {
    description:
      'present if there are no hits. It describes what the caller can read in the scope of the search, without its filters',
    examples: [
      {
        legs: ['words', 'codes'],
        unknownWords: ['lanyrad'],
        waiting: [
          { importId: '01981f6e-5b7a-7c3e-9d42-6f0a1b2c3d4e', state: 'queued', title: 'Lanyards 2026' },
          { path: 'team/handbook/HR-2210.pdf', state: 'failed', title: 'HR-2210.pdf' },
        ],
        nearest: { sourceId: '01981f6e-5b7a-7c3e-9d42-7a5b6c7d8e9f', title: 'Lanyards and badges' },
      },
    ],
  },
);
export type Nothing = Static<typeof Nothing>;

/** Defaults of requests. */
export const DEFAULT_TOP_K = 8;
export const MAX_TOP_K = 50;
export const DEFAULT_NEIGHBOURS = 2;

/** The longest texts of some fields, in characters: of a query, a uri, and a chunk of a request. */
export const MAX_QUERY = 4000;

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
  facets: Type.Optional(
    Type.Boolean({ description: 'add `facets`: how many candidates have each kind, client, tag and year' }),
  ),
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
export type Hit = Omit<Static<typeof Hit>, 'passages'> & Unsent & { passages?: Chunk[] };

const Facet = (description: string) =>
  Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() }), { maxItems: 20, description });
export const Facets = Type.Object(
  {
    kind: Facet('kinds of sources'),
    client: Facet('ids of clients, without the Team layer'),
    tag: Facet('tags of sources'),
    year: Facet('years of `occurredAt`, else of `createdAt`, in UTC'),
  },
  {
    description:
      'how many of the candidates of the search, of which `topK` are returned, have each value: the highest count first, at most 20. ' +
      'Equal texts count once; with `group`, a source counts once',
  },
);
export type Facets = Static<typeof Facets>;

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
  facets: Type.Optional(Facets),
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
