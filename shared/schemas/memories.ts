import { type Static, Type } from 'typebox';
import { MEMORY_ACTIONS, MEMORY_STATES } from '../memory-states.ts';
import {
  Body,
  CreatedWith,
  ExpiresAt,
  Id,
  LayerKind,
  Metadata,
  Name,
  Nullable,
  OneOf,
  occurrence,
  Problem,
  Redactions,
  SortedQuery,
  StoredExpiry,
  StoredOccurrence,
  Text,
  TextFilter,
  Time,
  Use,
} from './common.ts';
import { OpenFeedback } from './feedback.ts';
import { StoredTags, Tags } from './sources.ts';

const clientId = Type.Optional(Type.String());

/** The longest content of a memory. */
export const MAX_CONTENT = 64_000;

/** A memory whose content is similar to another text. */
export const SimilarMemory = Type.Object({
  memoryId: Id,
  state: Type.Optional(
    OneOf(
      ['review', 'published'],
      'absent: published. Only a memory in review is compared with others in review',
    ),
  ),
  title: Type.String(),
  excerpt: Type.String({ description: 'its first 1,000 characters' }),
  similarity: Type.Number({ description: 'from 0 to 1' }),
  basis: OneOf(
    ['meaning', 'words'],
    'meaning: cosine of the vectors; words: the weighted share of the text’s terms that the memory also has',
  ),
});

export type SimilarMemory = Static<typeof SimilarMemory>;

/** What a reviewer sees of a capture that a memory comes from. */
export const Provenance = Type.Object({
  id: Id,
  sessionId: Type.String(),
  sequence: Nullable(Type.Integer()),
  summary: Type.String(),
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
  layer: LayerKind,
  clientId: Nullable(Id),
  version: Type.Integer(),
  sourceId: Nullable(Id),
  captureIds: Type.Array(Id),
  metadata: Metadata,
  tags: StoredTags,
  supersedes: Nullable(Id),
  supersededBy: Nullable(Id),
  occurredAt: StoredOccurrence,
  expiresAt: StoredExpiry,
  ...Use,
  createdBy: Id,
  createdWith: CreatedWith,
  decidedBy: Nullable(Id),
  decidedAt: Nullable(Time),
  createdAt: Time,
  updatedAt: Time,
});

export type Memory = Static<typeof Memory>;

/**
 * A memory in the library, or a source on which feedback waits for a decision. A memory in review also has its captures and
 * similar memories, for the reviewer.
 */
export const ListedMemory = Type.Object({
  ...Memory.properties,
  subject: OneOf(
    ['memory', 'source'],
    'source: not a memory. Its id is that of the source, its content the text of the hits that the feedback is about',
  ),
  feedback: Type.Optional(
    Type.Array(OpenFeedback, {
      description: 'that waits for a decision, the newest 20. Absent without such feedback',
    }),
  ),
  captures: Type.Optional(Type.Array(Provenance)),
  similar: Type.Optional(Type.Array(SimilarMemory)),
});

export type ListedMemory = Static<typeof ListedMemory>;

/** A text that a memory had, and its changes against the text before it. */
export const MemoryVersion = Type.Object({
  version: Type.Integer({ description: 'the version of the memory that first had this text' }),
  title: Type.String(),
  content: Type.String(),
  actorId: Id,
  createdAt: Time,
  changes: Type.Array(
    Type.Object({
      op: OneOf(['equal', 'insert', 'delete']),
      text: Type.String(),
    }),
    {
      description:
        'of the content by words, against the version before. If too many words differ, the whole content is deleted and inserted',
    },
  ),
});

export type MemoryVersion = Static<typeof MemoryVersion>;

export const MemoryQuery = Type.Object(
  {
    ...SortedQuery,
    state: Type.Optional(OneOf([...MEMORY_STATES], 'without it, memories in review and published ones')),
    clientId,
    q: TextFilter,
    sourceId: Type.Optional(
      Type.String({ description: 'return only the memory of this source, which is the source_id of a hit' }),
    ),
    createdAfter: Type.Optional(Time),
    createdBefore: Type.Optional(Time),
  },
  { additionalProperties: false },
);

const decisionFields = {
  action: OneOf([...MEMORY_ACTIONS]),
  memoryId: Type.String(),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'the version that the decision is based on; with restore: the version to restore',
    }),
  ),
  baseVersion: Type.Optional(
    Type.Integer({ minimum: 1, description: 'only with restore: the version that the decision is based on' }),
  ),
  title: Type.Optional(Name),
  content: Type.Optional(Text(MAX_CONTENT)),
  tags: Type.Optional({ ...Tags, description: 'only with update; case is ignored' }),
  occurredAt: Type.Optional(occurrence('only with update: when it happened, a time or a day; null: unknown')),
  expiresAt: Type.Optional(ExpiresAt),
  clientId: Type.Optional(
    Nullable(Type.String(), 'only with move: the client to move it to, or null: the Team layer'),
  ),
  supersedes: Type.Optional(
    Type.String({
      description: 'only with publish: published memory of the same scope that this one replaces',
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
  'One decision (action and memoryId), or up to 100 in `decisions`; each has its own result',
);

export type DecisionRequest = Static<typeof DecisionRequest>;

export const DecisionResponse = Type.Object({
  memory: Type.Optional(Memory),
  redactions: Type.Optional(Redactions),
  results: Type.Optional(
    Type.Array(
      Type.Object({
        memory: Type.Optional(Memory),
        redactions: Type.Optional(Redactions),
        problem: Type.Optional(Problem),
      }),
      { description: 'one for each decision, in the same order' },
    ),
  ),
});
