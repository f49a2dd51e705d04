import type { Logger } from '../../shared/logger.ts';
import type { LayerId } from '../../shared/scope.ts';
import { embeddedText } from '../../shared/text/prepared-chunks.ts';
import type { Database, Queryable, TeamTransaction, WorkerTransaction } from '../driver/database.ts';
import { wireTime, writeScopeValues } from './common.ts';

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

/*
 * The graph of a large Team's vectors: an index of the kind HNSW on the signs of their numbers, with only the rows of
 * the Team. See docs/decisions/no-shared-hnsw.md. Indexes belong to the owner of the tables, so they are built and
 * dropped as the role that connected, without a transaction: `concurrently` works only there.
 */

/** Numbers of vectors. A Team with more than `build` gets a graph, and loses it with `keep` or fewer. */
export interface GraphSizes {
  build: number;
  keep: number;
}

/** A graph to build. */
export interface NewGraph {
  teamId: string;
  model: string;
  /** About how many it has. */
  vectors: number;
}

/** What must be done so that each large Team has a graph. Only for the connection that `lockGraphs` has locked. */
export async function listGraphChanges(
  tx: WorkerTransaction,
  { build, keep }: GraphSizes,
): Promise<{ toDrop: string[]; toBuild: NewGraph[] }> {
  const rows = await tx.query<NewGraph & { name: string; drops: boolean }>(
    `select index_name as name, drops, team_id as "teamId", model, vectors from memory.vector_graph_changes($1, $2)`,
    [build, keep],
  );
  return {
    toDrop: rows.filter(({ drops }) => drops).map(({ name }) => name),
    toBuild: rows
      .filter(({ drops }) => !drops)
      .map(({ teamId, model, vectors }) => ({ teamId, model, vectors })),
  };
}

/** The key of the lock of the connection that builds graphs: the letters "graph". */
const LOCK = 0x67_72_61_70_68;

/**
 * Locks the graphs for a connection, and removes its time-outs. The lock ends with the connection, so it also tells whether a build is running that
 * a killed worker has started: the server goes on with it.
 * @returns the id of the server process of the connection, or null if another one has the lock
 */
export async function lockGraphs(connection: Queryable): Promise<number | null> {
  const [row] = await connection.query<{ pid: number; locked: boolean }>(
    // A time-out can also be set for the role, the database or the server.
    `select pg_backend_pid() as pid, pg_try_advisory_lock($1) as locked,
            set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`,
    [LOCK],
  );
  return row?.locked === true ? row.pid : null;
}

/** Memory for building the graph of one vector, in bytes: more than twice its size in the finished index. */
const BYTES_PER_VECTOR = 1200;
const MIN_KILOBYTES = 65_536;
const MAX_KILOBYTES = 2_097_151;

/**
 * Builds the graph of a Team. Takes minutes, during which the Team can be read and written. One process of the server
 * builds it: the memory that several would share is 64 MB by default in containers, which is too little.
 * @param stopping no build begins once this is aborted
 */
export async function buildGraph(
  connection: Queryable,
  { teamId, model, vectors }: NewGraph,
  stopping: AbortSignal,
): Promise<void> {
  const kilobytes = Math.ceil((vectors * BYTES_PER_VECTOR) / 1024);
  const memory = Math.min(Math.max(kilobytes, MIN_KILOBYTES), MAX_KILOBYTES);
  await connection.query(
    `select set_config('maintenance_work_mem', $1, false), set_config('max_parallel_maintenance_workers', '0', false)`,
    [`${memory}kB`],
  );
  // A condition of an index has no parameters. format quotes the values.
  const [row] = await connection.query<{ statement: string }>(
    `select format('create index concurrently %I on memory.chunk_embedding using hnsw (signs public.bit_hamming_ops)
                      with (m = 16, ef_construction = 128) where team_id = %L and model = %L',
                   memory.vector_graph_name($1::uuid, $2::text), $1::uuid, $2::text) as statement`,
    [teamId, model],
  );
  stopping.throwIfAborted();
  if (row !== undefined) await connection.query(row.statement);
}

/** Drops a graph, and waits for the searches that use it. */
export async function dropGraph(connection: Queryable, name: string): Promise<void> {
  const [row] = await connection.query<{ statement: string }>(
    `select format('drop index concurrently if exists memory.%I', $1::text) as statement`,
    [name],
  );
  if (row !== undefined) await connection.query(row.statement);
}

/** How far a build is: the phase, and how many rows or blocks of how many are done. Null if none runs. */
export async function graphProgress(
  database: Database,
  pid: number,
): Promise<{ phase: string; done: number; total: number } | null> {
  const [row] = await database.query<{ phase: string; done: number; total: number }>(
    `select phase, case when tuples_total > 0 then tuples_done when blocks_total > 0 then blocks_done else lockers_done end as done,
            case when tuples_total > 0 then tuples_total when blocks_total > 0 then blocks_total else lockers_total end as total
       from pg_stat_progress_create_index where pid = $1`,
    [pid],
  );
  return row ?? null;
}

/** Cancels the statement of a connection. An index that it was building stays invalid, until it is dropped. */
export async function cancelStatement(database: Database, pid: number): Promise<void> {
  await database.query('select pg_cancel_backend($1)', [pid]);
}

/**
 * The first version whose HNSW indexes can be relied on. Before it, vacuum can corrupt such an index (corrected in 0.8.3 and
 * 0.8.4), and so can a build by several processes (corrected in 0.8.2).
 */
export const OLDEST_FOR_GRAPHS = '0.8.4';

/** Whether a version such as `0.8.0` is another one or later. */
export function isAtLeast(version: string, oldest: string): boolean {
  const [given, needed] = [version, oldest].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  for (const [place, part] of (needed ?? []).entries()) {
    const own = given?.[place] ?? 0;
    // What is not a number is not known to be late enough.
    if (own !== part) return own > part;
  }
  return true;
}

/**
 * The version of pgvector on the server, or null if it has none. This is the version of its library, which has the faults:
 * the extension in the database can have been created by an earlier one.
 */
export async function readPgvectorVersion(database: Queryable): Promise<string | null> {
  const [found] = await database.query<{ version: string | null }>(
    `select coalesce((select default_version from pg_available_extensions where name = 'vector'),
                     (select extversion from pg_extension where extname = 'vector')) as version`,
  );
  return found?.version ?? null;
}

/** What does not happen with a version of pgvector, and what to do; null if it has no known faults. */
export function pgvectorWarning(version: string): string | null {
  if (isAtLeast(version, OLDEST_FOR_GRAPHS)) return null;
  return (
    `pgvector ${version} can corrupt HNSW indexes: no graphs of large Teams are built, existing ones are dropped, and searches there ` +
    `compare all vectors. Install pgvector ${OLDEST_FOR_GRAPHS} or later on the server of the database`
  );
}

/** Warns if the server has a version of pgvector with which no graphs are built. */
export async function warnOfOldPgvector(database: Queryable, logger: Logger): Promise<void> {
  const warning = pgvectorWarning((await readPgvectorVersion(database)) ?? OLDEST_FOR_GRAPHS);
  if (warning !== null) logger.warn(warning);
}
