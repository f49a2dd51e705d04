import { type Static, Type } from 'typebox';
import { ITEM_ACTIONS } from '../memory-states.ts';
import { Capture } from './captures.ts';
import {
  Body,
  ExpiresAt,
  Id,
  Metadata,
  Name,
  Nullable,
  OccurredAt,
  OneOf,
  Redactions,
  Text,
  Time,
  WriteScope,
} from './common.ts';
import { Vector } from './embeddings.ts';
import { MAX_CONTENT, SimilarMemory } from './memories.ts';
import { Tags } from './sources.ts';

/** Defaults of a claim. */
export const DEFAULT_CLAIM_LIMIT = 5;
export const DEFAULT_LEASE_SECONDS = 900;
/** The most captures in a batch. */
export const MAX_BATCH = 20;

/** The most items of one complete. One transaction stores all of them; in the embedded database, others wait for it. */
export const MAX_ITEMS = 40;

export const ClaimRequest = Body({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BATCH, default: DEFAULT_CLAIM_LIMIT })),
  clientId: Type.Optional(Type.String()),
  leaseSeconds: Type.Optional(Type.Integer({ minimum: 30, maximum: 3600, default: DEFAULT_LEASE_SECONDS })),
});
export const ClaimResponse = Type.Object({
  batch: Nullable(Type.Object({ id: Id, expiresAt: Time, captures: Type.Array(Capture) })),
});

export const ReleaseRequest = Body({ batchId: Type.String() });

/** A batch of the caller without the texts of its captures. */
export const Batch = Type.Object({
  id: Id,
  captureIds: Type.Array(Id, { description: 'captures of the batch that you can read, oldest first' }),
  createdAt: Time,
  expiresAt: Time,
});
export type Batch = Static<typeof Batch>;

export const ConsolidatedItem = Body({
  captureIds: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_BATCH }),
  action: OneOf([...ITEM_ACTIONS]),
  title: Type.Optional(Name),
  content: Type.Optional(Text(MAX_CONTENT)),
  scope: Type.Optional(WriteScope),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(Tags),
  occurredAt: Type.Optional(OccurredAt),
  expiresAt: Type.Optional(ExpiresAt),
  embedding: Type.Optional(Vector),
  embeddingModel: Type.Optional(Type.String({ maxLength: 300 })),
  embeddingDim: Type.Optional(Type.Integer()),
  supersedes: Type.Optional(
    Type.String({
      description: 'published memory of the same scope that this one replaces; requires Full access',
    }),
  ),
});
export type ConsolidatedItem = Static<typeof ConsolidatedItem>;

export const CompleteRequest = Body({
  batchId: Type.String(),
  items: Type.Array(ConsolidatedItem, {
    maxItems: MAX_ITEMS,
    description: 'captures of the batch that no item names become staged again',
  }),
});
export type CompleteRequest = Static<typeof CompleteRequest>;

export const ConsolidationResult = Type.Object({
  state: OneOf(['published', 'review', 'discarded']),
  memoryId: Nullable(Id),
  similar: Type.Array(SimilarMemory, {
    description: 'similar published memories of the same scope, most similar first',
  }),
});
export type ConsolidationResult = Static<typeof ConsolidationResult>;
export const CompleteResponse = Type.Object({
  results: Type.Array(ConsolidationResult),
  redactions: Type.Optional(Redactions),
});
