import type { Database, LogPosition } from '../driver/database.ts';

/*
 * The history of a server is the cluster and the timeline, which begins with a promotion. A replica of a primary that was
 * replaced has another timeline, also if it has a position that the new primary has too.
 */

const CLUSTER = '(select system_identifier from pg_control_system())::text';

const PRIMARY = `select pg_current_wal_flush_lsn()::text as position,
  ${CLUSTER} || ' ' || (select timeline_id from pg_control_checkpoint()) as history`;

const REPLICA = `select pg_is_in_recovery() as "isReplica", coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "hasPosition",
  ${CLUSTER} || ' ' || (select timeline_id from pg_control_checkpoint()) as history`;

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

/** Reads where the primary is. */
export async function readPrimary(database: Database): Promise<PrimaryState | undefined> {
  const [state] = await database.query<PrimaryState>(PRIMARY);
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
