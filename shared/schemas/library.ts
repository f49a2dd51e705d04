import { type Static, Type } from 'typebox';
import { MEMORY_ACTIONS, MEMORY_STATES } from '../memory-states.ts';
import { Body, Id, Metadata, Name, Nullable, OneOf, PageQuery, type Problem, Text, Time } from './common.ts';
import { Chunk, Layer, Source } from './memory.ts';

/** A published memory that says much the same as another text. */
export const SimilarMemory = Type.Object({
  memoryId: Id,
  title: Type.String(),
  excerpt: Type.String({ description: 'its first 1,000 characters' }),
  similarity: Type.Number({ description: 'from 0 to 1' }),
  basis: OneOf(
    ['meaning', 'words'],
    'meaning: cosine of the vectors; words: the share of the text’s terms, by weight, that the memory has too',
  ),
});
export type SimilarMemory = Static<typeof SimilarMemory>;

/** A capture as far as a reviewer needs it to know where a memory comes from. */
export const Provenance = Type.Object({
  id: Id,
  sessionId: Type.String(),
  sequence: Nullable(Type.Integer()),
  startedAt: Nullable(Time),
  endedAt: Nullable(Time),
  createdBy: Id,
  createdAt: Time,
});
export type Provenance = Static<typeof Provenance>;

export const Memory = Type.Object({
  id: Id,
  state: OneOf([...MEMORY_STATES]),
  title: Type.String(),
  content: Type.String(),
  layer: Layer,
  clientId: Nullable(Id),
  version: Type.Integer(),
  sourceId: Nullable(Id),
  captureIds: Type.Array(Id),
  metadata: Metadata,
  supersedes: Nullable(Id),
  supersededBy: Nullable(Id),
  createdBy: Id,
  decidedBy: Nullable(Id),
  decidedAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
});
export type Memory = Static<typeof Memory>;

/** A memory in the library; one that waits for review comes with what a reviewer goes by. */
export const ListedMemory = Type.Object({
  ...Memory.properties,
  captures: Type.Optional(Type.Array(Provenance)),
  similar: Type.Optional(Type.Array(SimilarMemory)),
});
export type ListedMemory = Static<typeof ListedMemory>;

const q = Type.Optional(
  Type.String({ maxLength: 300, description: 'text that it holds, in upper or lower case' }),
);
const clientId = Type.Optional(Type.String());

export const MemoryQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(OneOf(['review', 'published'])),
    clientId,
    q,
    sourceId: Type.Optional(Type.String({ description: 'the memory of that source, as a hit names it' })),
    createdAfter: Type.Optional(Time),
    createdBefore: Type.Optional(Time),
  },
  { additionalProperties: false },
);

const decisionFields = {
  action: OneOf([...MEMORY_ACTIONS]),
  memoryId: Type.String(),
  version: Type.Optional(Type.Integer({ minimum: 1, description: 'the version that was looked at' })),
  title: Type.Optional(Name),
  content: Type.Optional(Text(64_000)),
  supersedes: Type.Optional(
    Type.String({
      description: 'with publish: published memory of the same scope that this takes the place of',
    }),
  ),
};
export const Decision = Body(decisionFields);
export type Decision = Static<typeof Decision>;

export const DecisionRequest = Body(
  {
    ...decisionFields,
    action: Type.Optional(decisionFields.action),
    memoryId: Type.Optional(decisionFields.memoryId),
    decisions: Type.Optional(Type.Array(Decision, { minItems: 1, maxItems: 100 })),
  },
  'One decision (action and memoryId), or up to 100 as `decisions`; each is answered on its own',
);
export type DecisionRequest = Static<typeof DecisionRequest>;

export const DecisionResponse = Type.Object({
  memory: Type.Optional(Memory),
  results: Type.Optional(
    Type.Array(
      Type.Object({
        memory: Type.Optional(Memory),
        problem: Type.Optional(Type.Unsafe<Static<typeof Problem>>({ $ref: 'Problem#' })),
      }),
      { description: 'in the order of the decisions' },
    ),
  ),
});

export const SourceQuery = Type.Object(
  {
    ...PageQuery,
    kind: Type.Optional(OneOf(['ingest', 'import', 'memory'])),
    state: Type.Optional(OneOf(['active', 'archived'])),
    clientId,
    q,
  },
  { additionalProperties: false },
);

/** One source with its text. Its `chunks` take the place of their number. */
export const SourceText = Type.Object({
  ...Source.properties,
  metadata: Metadata,
  chunks: Type.Array(Chunk, { description: 'in order; of more than 2,000 the rest follows by `cursor`' }),
  nextCursor: Nullable(Type.String()),
});
