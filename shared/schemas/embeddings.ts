import { type Static, Type } from 'typebox';
import type { SentVector } from '../embeddings.ts';
import { Body, Id, Nullable, Time } from './common.ts';

/** A vector that a program sends. The schema does not check its length: a wrong length has its own error code. */
export const Vector = Type.Unsafe<SentVector>(
  Type.Union([Type.Array(Type.Number()), Type.String()], {
    description:
      '1024 numbers, or the base64 of 1024 little-endian float32 numbers, which is a quarter as long',
  }),
);

/** How many chunks a claim gets if it names no limit. */
export const DEFAULT_EMBEDDINGS_CLAIM = 64;

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
