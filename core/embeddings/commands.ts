import { createHash } from 'node:crypto';
import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  claimPendingChunks,
  closeEmbeddingBatch,
  deletePendingMarks,
  type EmbeddingBatch,
  lockEmbeddingBatch,
  type OpenBatch,
} from '../../db/queries/embeddings.ts';
import { insertEmbeddings } from '../../db/queries/sources/chunks.ts';
import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { isId, newId } from '../../shared/ids.ts';
import type { EmbeddingsCompleteRequest } from '../../shared/schemas/embeddings.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { assertActive, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long a batch of chunks is leased. */
const LEASE_SECONDS = 900;

/**
 * Claims chunks without an embedding for a program that makes embeddings. Claiming leaves no audit event; completing does.
 * @param limit how many chunks at most
 * @returns null if no chunk that the caller can write waits for an embedding
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `team_archived`
 */
export function claimEmbeddings(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  limit: number,
): Promise<EmbeddingBatch | null> {
  return runCommand(database, scope, {
    lock: async (tx) => assertActive(await lockTeamForWrite(tx)),
    apply: async (tx) => ({
      result: await claimPendingChunks(tx, { id: newId(), limit, leaseSeconds: LEASE_SECONDS }),
      audit: [],
    }),
  });
}

/** The vectors of a batch, by the id of their chunk. */
interface Embeddings {
  vectors: ReadonlyMap<string, Float32Array>;
  model: string;
}

/**
 * Completes a batch of chunks with their embeddings. A repeat with the same embeddings returns the same number; a chunk
 * that has been replaced since the claim is skipped.
 * @returns how many chunks have their embedding now
 * @throws ServiceError `invalid_request`, `embedding_model_mismatch`, `embedding_dimension_mismatch`, `unauthenticated`,
 *   `team_forbidden`, `not_found`, `team_archived`, `batch_expired`, `conflict` if the batch was completed with other
 *   embeddings
 */
export async function completeEmbeddings(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  body: EmbeddingsCompleteRequest,
): Promise<number> {
  const { batchId } = body;
  const model = config.embeddingModel;
  const vectors = parseVectors(body, model);
  if (!isId(batchId)) throw new ServiceError('not_found');
  return runCommand(database, scope, {
    lock: async (tx) => {
      const team = await lockTeamForWrite(tx);
      const batch = await lockEmbeddingBatch(tx, batchId);
      if (batch === null) throw new ServiceError('not_found');
      assertOfBatch(vectors, batch);
      assertActive(team);
      return { ...batch, id: batchId };
    },
    apply: (tx, batch) => apply(tx, batch, { vectors, model }),
  });
}

/** Parses the vectors of a request: of unit length, each chunk once. */
function parseVectors(body: EmbeddingsCompleteRequest, model: string): Map<string, Float32Array> {
  checkDeclaredModel(body, model);
  const vectors = new Map<string, Float32Array>();
  for (const [index, { chunkId, embedding }] of body.embeddings.entries()) {
    const id = chunkId.toLowerCase();
    if (vectors.has(id)) throw invalidField(`/embeddings/${index}/chunkId`, 'must not repeat an earlier one');
    vectors.set(id, normalizeEmbedding(embedding, `/embeddings/${index}/embedding`));
  }
  return vectors;
}

function assertOfBatch(vectors: Embeddings['vectors'], { chunkIds }: OpenBatch): void {
  for (const id of vectors.keys()) {
    if (!chunkIds.includes(id)) {
      throw invalidField('/embeddings', 'names a passage that does not belong to the batch');
    }
  }
}

async function apply(
  tx: TeamTransaction,
  batch: OpenBatch & { id: string },
  { vectors, model }: Embeddings,
): Promise<Applied<number>> {
  const hash = vectorsHash(vectors);
  if (batch.requestHash !== null) {
    if (!batch.requestHash.equals(hash)) {
      throw new ServiceError('conflict', 'The batch was completed with other embeddings');
    }
    return { result: batch.embedded ?? 0, audit: [] };
  }
  if (batch.expired) throw new ServiceError('batch_expired');
  const pending = await deletePendingMarks(tx, batch.id, [...vectors.keys()]);
  if (pending.length > 0) {
    await insertEmbeddings(
      tx,
      model,
      pending.map(({ chunkId, layerId }) => ({ chunkId, layerId, embedding: vectors.get(chunkId)! })),
    );
  }
  await closeEmbeddingBatch(tx, batch.id, hash, pending.length);
  const detail = { embedded: pending.length, model };
  return {
    result: pending.length,
    audit: [{ kind: 'memory.embed', subjectType: 'batch', subjectId: batch.id, detail }],
  };
}

/** Hashes vectors, regardless of the order in which they were sent. */
function vectorsHash(vectors: ReadonlyMap<string, Float32Array>): Buffer {
  const hash = createHash('sha256');
  for (const [id, vector] of [...vectors].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(id).update(new Uint8Array(vector.buffer));
  }
  return hash.digest();
}
