import { createHash } from 'node:crypto';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { insertEmbeddings } from '../../../db/queries/memory/chunks.ts';
import {
  claimPendingChunks,
  closeEmbeddingBatch,
  deletePendingMarks,
  lockEmbeddingBatch,
  type OpenBatch,
} from '../../../db/queries/memory/embeddings.ts';
import { BATCH_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { checkEmbeddingClaim, normalizeEmbedding } from '../../../shared/embeddings.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { isId, newId } from '../../../shared/ids.ts';
import {
  DEFAULT_EMBEDDINGS_CLAIM,
  EmbeddingsClaimRequest,
  EmbeddingsClaimResponse,
  EmbeddingsCompleteRequest,
  EmbeddingsCompleteResponse,
} from '../../../shared/schemas/memory.ts';
import { assertTeamActive } from '../../plugins/guards.ts';
import { EMBEDDINGS_JSON_LIMITS } from '../../request/json-limits.ts';
import type { Routes } from '../../types.ts';

/** As long as a consolidation batch is lent by default. */
const LEASE_SECONDS = 900;

/** The vectors sent back, by chunk: unit length, each chunk once. */
function readEmbeddings(body: EmbeddingsCompleteRequest, model: string): Map<string, Float32Array> {
  checkEmbeddingClaim(body, model);
  const vectors = new Map<string, Float32Array>();
  for (const [index, { chunkId, embedding }] of body.embeddings.entries()) {
    const id = chunkId.toLowerCase();
    if (vectors.has(id)) throw invalidField(`/embeddings/${index}/chunkId`, 'is named twice');
    vectors.set(id, normalizeEmbedding(embedding, `/embeddings/${index}/embedding`));
  }
  return vectors;
}

/** Known again whatever the order in which the chunks were sent. */
function requestHash(vectors: ReadonlyMap<string, Float32Array>): Buffer {
  const hash = createHash('sha256');
  for (const id of [...vectors.keys()].sort())
    hash.update(id).update(new Uint8Array(vectors.get(id)!.buffer));
  return hash.digest();
}

async function completeBatch(
  tx: TeamTransaction,
  batch: OpenBatch & { id: string },
  vectors: ReadonlyMap<string, Float32Array>,
  model: string,
): Promise<number> {
  for (const id of vectors.keys()) {
    if (!batch.chunkIds.includes(id))
      throw invalidField('/embeddings', 'names a chunk that is not of the batch');
  }
  const hash = requestHash(vectors);
  if (batch.requestHash !== null) {
    if (!batch.requestHash.equals(hash))
      throw new ServiceError('conflict', 'The batch was completed differently');
    return batch.embedded ?? 0;
  }
  if (batch.expired) throw new ServiceError('batch_expired');
  const taken = await deletePendingMarks(tx, batch.id, [...vectors.keys()]);
  if (taken.length > 0) {
    await insertEmbeddings(
      tx,
      model,
      taken.map(({ chunkId, clientId }) => ({ chunkId, clientId, embedding: vectors.get(chunkId)! })),
    );
  }
  await closeEmbeddingBatch(tx, batch.id, hash, taken.length);
  insertAuditEvents(tx, [
    {
      kind: 'memory.embed',
      subjectType: 'batch',
      subjectId: batch.id,
      detail: { embedded: taken.length, model },
    },
  ]);
  return taken.length;
}

/** /v1/memory/embeddings: for clients that make embeddings, so that imports too are found by meaning. */
export const embeddingRoutes: Routes = (app, { config, database }) => {
  app.post(
    '/v1/memory/embeddings/claim',
    {
      schema: {
        summary: 'Take chunks that have no embedding',
        tags: ['memory'],
        body: EmbeddingsClaimRequest,
        response: { 200: EmbeddingsClaimResponse },
      },
    },
    async (request) => {
      assertTeamActive(request);
      const batch = await transaction(database, request.teamScope, (tx) =>
        claimPendingChunks(tx, {
          id: newId(),
          limit: request.body.limit ?? DEFAULT_EMBEDDINGS_CLAIM,
          leaseSeconds: LEASE_SECONDS,
        }),
      );
      return { batch: batch === null ? null : { ...batch, expiresAt: batch.expiresAt.toISOString() } };
    },
  );

  app.post(
    '/v1/memory/embeddings/complete',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      config: { jsonLimits: EMBEDDINGS_JSON_LIMITS },
      schema: {
        summary: 'Send the embeddings of a batch',
        tags: ['memory'],
        body: EmbeddingsCompleteRequest,
        response: { 200: EmbeddingsCompleteResponse },
      },
    },
    async (request) => {
      const { body, teamScope } = request;
      const vectors = readEmbeddings(body, config.embeddingModel);
      if (!isId(body.batchId)) throw new ServiceError('not_found');
      const embedded = await transaction(database, teamScope, async (tx) => {
        const batch = await lockEmbeddingBatch(tx, body.batchId);
        if (batch === null) throw new ServiceError('not_found');
        assertTeamActive(request);
        return completeBatch(tx, { ...batch, id: body.batchId }, vectors, config.embeddingModel);
      });
      return { embedded };
    },
  );
};
