import type { LayerId } from '../../../shared/scope.ts';
import { embeddedText } from '../../../shared/text/fields.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { wireTime, writeScopeValues } from '../fragments/layers.ts';

/** Chunks that a caller has claimed to make their vectors, until the lease expires. */
export interface EmbeddingBatch {
  id: string;
  expiresAt: string;
  chunks: { chunkId: string; text: string }[];
}

/** A chunk without a vector, and its layer. */
export interface PendingChunk {
  chunkId: string;
  layerId: LayerId;
  /** What its vector is to be made of: see `embeddedText`. */
  text: string;
}

/**
 * Leases chunks without a vector, the newest first, in the layers that the scope can write. No chunk is in two batches
 * at once. A chunk whose lease has expired can be leased again, and the lease of a chunk of the same batch is renewed.
 * @param batch.refusedToo whether to lease chunks for which the service's model gave no vector in the last day
 */
export async function leasePendingChunks(
  tx: TeamTransaction,
  batch: { id: string; limit: number; leaseSeconds: number; refusedToo: boolean },
): Promise<{ chunks: PendingChunk[]; expiresAt: Date | null }> {
  const rows = await tx.query<PendingChunk & { title: string; headings: string[]; leasedUntil: Date }>(
    `select l.chunk_id as "chunkId", c.layer_id as "layerId", s.title, c.text,
            coalesce(c.place -> 'headings', '[]') as headings, l.leased_until as "leasedUntil"
       from memory.lease_pending($2, $3, $4, $5) l
       join memory.chunk c on c.team_id = $1 and c.id = l.chunk_id
       join memory.source s on s.team_id = c.team_id and s.id = c.source_id
      order by l.chunk_id desc`,
    [tx.scope.teamId, batch.id, batch.limit, batch.leaseSeconds, batch.refusedToo],
  );
  return {
    expiresAt: rows[0]?.leasedUntil ?? null,
    chunks: rows.map(({ chunkId, layerId, title, headings, text }) => ({
      chunkId,
      layerId,
      text: embeddedText(title, headings, text),
    })),
  };
}

/** Claims chunks without a vector for a caller that makes the vectors itself: see `leasePendingChunks`. */
export async function claimPendingChunks(
  tx: TeamTransaction,
  batch: { id: string; limit: number; leaseSeconds: number },
): Promise<EmbeddingBatch | null> {
  const { chunks, expiresAt } = await leasePendingChunks(tx, { ...batch, refusedToo: true });
  if (expiresAt === null) return null;
  await tx.query(
    `insert into memory.embedding_batch (team_id, id, user_id, chunk_ids, expires_at) values ($1, $2, $3, $4, $5)`,
    [tx.scope.teamId, batch.id, tx.scope.userId, chunks.map((chunk) => chunk.chunkId), expiresAt],
  );
  return {
    id: batch.id,
    expiresAt: wireTime(expiresAt),
    chunks: chunks.map(({ chunkId, text }) => ({ chunkId, text })),
  };
}

/** A batch of the scope's user, locked until the transaction ends. */
export interface OpenBatch {
  chunkIds: string[];
  expired: boolean;
  /** The hash of the accepted complete request; null before. */
  requestHash: Buffer | null;
  embedded: number | null;
}

/** Locks a batch of the scope's user; null if it does not exist. */
export async function lockEmbeddingBatch(tx: TeamTransaction, id: string): Promise<OpenBatch | null> {
  const [row] = await tx.query<OpenBatch>(
    `select chunk_ids as "chunkIds", expires_at <= now() as expired, request_hash as "requestHash", embedded
       from memory.embedding_batch where team_id = $1 and user_id = $2 and id = $3 for update`,
    [tx.scope.teamId, tx.scope.userId, id],
  );
  return row ?? null;
}

/**
 * Deletes the marks of those chunks that still wait for a vector in this batch, and returns them. A chunk can have been
 * replaced since it was leased. A chunk that another transaction is deleting is skipped: that transaction locks its
 * chunks in another order, so waiting for it could be a deadlock.
 */
export async function deletePendingMarks(
  tx: TeamTransaction,
  batchId: string,
  chunkIds: readonly string[],
): Promise<{ chunkId: string; layerId: LayerId }[]> {
  return tx.query(
    `with locked as (
       select c.id from memory.chunk c
        where c.team_id = $1 and c.id = any ($4::uuid[]) for key share skip locked
     )
     delete from memory.embedding_pending p using locked
      where p.team_id = $1 and p.layer_id = any ($2::uuid[])
        and p.batch_id = $3 and p.chunk_id = locked.id
     returning p.chunk_id as "chunkId", p.layer_id as "layerId"`,
    [...writeScopeValues(tx.scope), batchId, chunkIds],
  );
}

/** Closes a batch: its chunks without a vector can be leased again, and a repeated complete request gets its answer. */
export async function closeEmbeddingBatch(
  tx: TeamTransaction,
  id: string,
  requestHash: Buffer,
  embedded: number,
): Promise<void> {
  await releaseChunks(tx, id);
  await tx.query(
    `update memory.embedding_batch set request_hash = $4, embedded = $5
      where team_id = $1 and user_id = $2 and id = $3`,
    [tx.scope.teamId, tx.scope.userId, id, requestHash, embedded],
  );
}

/**
 * Ends the lease of the chunks that a batch did not embed, except chunks that another transaction has locked: see
 * `deletePendingMarks`.
 * @param refused chunks for which the service's model gave no vector; they wait for a day
 */
export async function releaseChunks(
  tx: TeamTransaction,
  batchId: string,
  refused: readonly string[] = [],
): Promise<void> {
  await tx.query(
    `with locked as (
       select p.chunk_id from memory.embedding_pending p
        where p.team_id = $1 and p.batch_id = $2 for update skip locked
     )
     update memory.embedding_pending p
        set batch_id = null, leased_until = null,
            refused_at = case when p.chunk_id = any ($3::uuid[]) then now() else p.refused_at end
       from locked where p.team_id = $1 and p.chunk_id = locked.chunk_id`,
    [tx.scope.teamId, batchId, refused],
  );
}
