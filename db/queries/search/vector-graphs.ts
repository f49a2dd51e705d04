import type { Database, Queryable, WorkerTransaction } from '../../driver/database.ts';

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
