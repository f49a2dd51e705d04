import type { Queryable, TeamTransaction } from '../database.ts';
import { writeScopeValues } from './layers.ts';

/** Chunks that a client has taken to make vectors of, until the lease runs out. */
export interface EmbeddingBatch {
  id: string;
  expiresAt: Date;
  chunks: { chunkId: string; text: string }[];
}

/** A chunk that waits for a vector, and its layer. */
export interface PendingChunk {
  chunkId: string;
  clientId: string | null;
  text: string;
}

/**
 * Leases chunks without a vector, newest first, where the scope may write. No chunk goes to two takers at once; one
 * whose lease ran out is free again, and one of the same batch is leased anew.
 * @param batch.refusedToo whether chunks that the service's own model gave no vector of today are leased as well
 */
export async function leasePendingChunks(
  tx: TeamTransaction,
  batch: { id: string; limit: number; leaseSeconds: number; refusedToo: boolean },
): Promise<{ chunks: PendingChunk[]; expiresAt: Date | null }> {
  const rows = await tx.query<PendingChunk & { leasedUntil: Date }>(
    `with free as (
       select p.team_id, p.chunk_id from memory.embedding_pending p
         join memory.chunk c on c.team_id = p.team_id and c.id = p.chunk_id
         join memory.source s on s.team_id = c.team_id and s.id = c.source_id and s.state = 'active'
        where p.team_id = $1 and (($2 and p.client_id is null) or p.client_id = any ($3::uuid[]))
          and (p.leased_until is null or p.leased_until <= now() or p.batch_id = $4)
          and ($7 or p.refused_at is null or p.refused_at < now() - interval '1 day')
        order by p.chunk_id desc limit $5 for update of p skip locked
     ), taken as (
       update memory.embedding_pending p set batch_id = $4, leased_until = now() + make_interval(secs => $6)
         from free where p.team_id = free.team_id and p.chunk_id = free.chunk_id
       returning p.team_id, p.chunk_id, p.leased_until
     )
     select t.chunk_id as "chunkId", c.client_id as "clientId", c.text, t.leased_until as "leasedUntil"
       from taken t join memory.chunk c on c.team_id = t.team_id and c.id = t.chunk_id
      order by t.chunk_id desc`,
    [...writeScopeValues(tx.scope), batch.id, batch.limit, batch.leaseSeconds, batch.refusedToo],
  );
  return {
    expiresAt: rows[0]?.leasedUntil ?? null,
    chunks: rows.map(({ chunkId, clientId, text }) => ({ chunkId, clientId, text })),
  };
}

/** Takes chunks without a vector for a client that makes them: see `leasePendingChunks`. */
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
  return { id: batch.id, expiresAt, chunks: chunks.map(({ chunkId, text }) => ({ chunkId, text })) };
}

/** A batch of the scope's user, locked until the transaction ends. */
export interface OpenBatch {
  chunkIds: string[];
  expired: boolean;
  /** Of the complete that was accepted, if one was. */
  requestHash: Buffer | null;
  embedded: number | null;
}

/** Locks a batch of the scope's user, or null where there is none. */
export async function lockEmbeddingBatch(tx: TeamTransaction, id: string): Promise<OpenBatch | null> {
  const [row] = await tx.query<OpenBatch>(
    `select chunk_ids as "chunkIds", expires_at <= now() as expired, request_hash as "requestHash", embedded
       from memory.embedding_batch where team_id = $1 and user_id = $2 and id = $3 for update`,
    [tx.scope.teamId, tx.scope.userId, id],
  );
  return row ?? null;
}

/** Which of the chunks still wait for a vector in this batch: one may have been replaced meanwhile. */
export async function takeBatchChunks(
  tx: TeamTransaction,
  batchId: string,
  chunkIds: readonly string[],
): Promise<{ chunkId: string; clientId: string | null }[]> {
  // Chunks before their marks, the order in which replacing a source takes them: the other way round is a deadlock.
  await tx.query(
    'select from memory.chunk where team_id = $1 and id = any ($2::uuid[]) order by id for key share',
    [tx.scope.teamId, chunkIds],
  );
  return tx.query(
    `delete from memory.embedding_pending p
      where p.team_id = $1 and (($2 and p.client_id is null) or p.client_id = any ($3::uuid[]))
        and p.batch_id = $4 and p.chunk_id = any ($5::uuid[])
      returning p.chunk_id as "chunkId", p.client_id as "clientId"`,
    [...writeScopeValues(tx.scope), batchId, chunkIds],
  );
}

/** Closes a batch: what it did not embed is free at once, and the same complete again finds its answer. */
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

/** Frees what a batch leased and did not embed. */
export async function releaseChunks(tx: TeamTransaction, batchId: string): Promise<void> {
  await tx.query(
    `update memory.embedding_pending set batch_id = null, leased_until = null where team_id = $1 and batch_id = $2`,
    [tx.scope.teamId, batchId],
  );
}

/** Notes that the service's model gave no vector of these chunks of a batch: they wait for a day. */
export async function refuseChunks(
  tx: TeamTransaction,
  batchId: string,
  chunkIds: readonly string[],
): Promise<void> {
  await tx.query(
    `update memory.embedding_pending set refused_at = now()
      where team_id = $1 and batch_id = $2 and chunk_id = any ($3::uuid[])`,
    [tx.scope.teamId, batchId, chunkIds],
  );
}

/** Whether vectors of this model are those that searches compare now. */
export async function isAdoptedModel(tx: Queryable, model: string): Promise<boolean> {
  const [row] = await tx.query<{ adopted: boolean }>('select memory.is_adopted_model($1) as adopted', [
    model,
  ]);
  return row?.adopted === true;
}
