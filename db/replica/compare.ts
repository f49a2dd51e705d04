import type { Database, LogPosition } from '../driver/database.ts';

/*
 * The history of a server is the cluster and the timeline, which begins with a promotion. A replica of a primary that was
 * replaced has another timeline, also if it has a position that the new primary has too.
 */

const CLUSTER = '(select system_identifier from pg_control_system())::text';

/** The name of each file of the log begins with the timeline. The checkpoint has it only minutes after a promotion. */
const PRIMARY = `select pg_current_wal_flush_lsn()::text as position,
  ${CLUSTER} || ' ' || ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as history`;

/**
 * The timeline that a replica receives is null without the rights of `pg_read_all_stats`, and while it receives nothing.
 * What it has stored of its recovery then tells, which can be late: so it is not read for too long, and not too soon.
 */
const REPLICA = `select pg_is_in_recovery() as "isReplica", coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasPosition",
  ${CLUSTER} || ' ' || coalesce(
    (select received_tli from pg_stat_wal_receiver),
    (select greatest(c.timeline_id, r.min_recovery_end_timeline) from pg_control_checkpoint() c, pg_control_recovery() r)
  ) as history`;

/** Where a primary is. */
export interface PrimaryState {
  position: LogPosition;
  history: string;
}

/** What a server is compared with a primary by. */
export interface ReplicaState {
  isReplica: boolean;
  /** Whether it has replayed the log up to the position that was asked for. */
  hasPosition: boolean;
  history: string;
}

/**
 * Reads where the primary is.
 * @throws Error if it does not answer, or does not show its log
 */
export async function readPrimary(database: Database): Promise<PrimaryState> {
  const [state] = await database.query<PrimaryState>(PRIMARY);
  if (state === undefined) throw new Error('the primary has not answered');
  return state;
}

/** Reads the state of a replica. */
export async function readReplica(
  database: Database,
  needed: LogPosition,
): Promise<ReplicaState | undefined> {
  const [state] = await database.query<ReplicaState>(REPLICA, [needed]);
  return state;
}
