import { escapeLiteral } from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import { describeError } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/async.ts';
import { NOBODY, type Scope } from '../../shared/scope.ts';
import type { Database, LogPosition, Replica } from '../driver/database.ts';
import { databaseFault, UNREAD_REASONS, type UnreadReason } from '../driver/faults.ts';
import { CONNECT_TIMED_OUT } from '../driver/postgres-pool.ts';

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
async function readPrimary(database: Database): Promise<PrimaryState> {
  const [state] = await database.query<PrimaryState>(PRIMARY);
  if (state === undefined) throw new Error('the primary has not answered');
  return state;
}

/** Reads the state of a replica. */
async function readReplica(database: Database, needed: LogPosition): Promise<ReplicaState | undefined> {
  const [state] = await database.query<ReplicaState>(REPLICA, [needed]);
  return state;
}

/** The halves of a position are hexadecimal. */
function toNumber(position: LogPosition): bigint {
  const [high = '', low = ''] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** The later one of two positions. */
export function later(one: LogPosition, other: LogPosition): LogPosition {
  return toNumber(one) < toNumber(other) ? other : one;
}

/**
 * The positions of a primary over the last time: what a replica must have replayed so that it lags at most that long. The
 * clocks of the servers do not matter, and a replica that is cut off from the primary falls behind too.
 */
export interface PositionHistory {
  /** Adds a position that the primary had at this time, in milliseconds of one clock. */
  add(position: LogPosition, at: number): void;
  /** A replica with this position lags at most the time of the history. Null if no position of that time is known. */
  oldest(now: number): LogPosition | null;
}

export function positionHistory(lengthMs: number): PositionHistory {
  const samples: { position: LogPosition; at: number }[] = [];
  const forget = (now: number) => {
    while (samples[0] !== undefined && samples[0].at < now - lengthMs) samples.shift();
  };
  return {
    add: (position, at) => {
      forget(at);
      samples.push({ position, at });
    },
    oldest: (now) => {
      forget(now);
      return samples[0]?.position ?? null;
    },
  };
}

/** SQLSTATE of `identity.require_replayed`: the server is no replica, or has not replayed enough. */
const BEHIND = 'RB001';
/** SQLSTATEs of a server with another schema or other rights, or of a statement that a replica cannot run. */
const CANNOT_RUN = new Set(['3F000', '42501', '42703', '42883', '42P01', '0A000', '25006']);
/** A statement that the server ended because of its time limit would take as long on the primary. */
const TOO_LONG = '57014';
/** Ended because the replica replays something else, such as the removal of rows that the statement reads, or a lock. */
const CONFLICTS = new Set(['40001', '40P01', '55P03']);

/** What a read asks for is not on the replica, or not all of it. So the primary is read. */
export class BehindError extends Error {
  override name = 'BehindError';
}

/** The message of the error if the replica does not answer in time. */
const NO_ANSWER = 'the replica does not answer';

/** Why the primary must answer a read that has failed on the replica. Null: it would fail there too. */
function unreadReason(error: unknown): UnreadReason | null {
  if (error instanceof BehindError) return 'missing';
  if (error instanceof ServiceError) return error.code === 'not_found' ? 'missing' : null;
  if (!(error instanceof Error)) return null;
  if (error.message === NO_ANSWER) return 'no_answer';
  const code = 'code' in error ? String(error.code) : '';
  if (code === BEHIND) return 'behind';
  if (CANNOT_RUN.has(code)) return 'cannot_run';
  if (CONFLICTS.has(code)) return 'conflict';
  if (code === TOO_LONG || databaseFault(error) !== 'unavailable') return null;
  // All connections to the replica are in use: it is busy, and not gone.
  return error.message === CONNECT_TIMED_OUT ? 'busy' : 'gone';
}

/** The positions are read this often within the longest lag, and at least once in `MAX_BEAT_MS`. */
const BEATS_PER_LAG = 5;
const MAX_BEAT_MS = 1000;
/** How long the replica can take to answer a beat. */
const BEAT_TIMEOUT_MS = 2000;
/** How long a read waits for the replica. Then the primary is read, so a request still ends in time. */
const READ_TIMEOUT_MS = 2000;
/** How long a request waits until its change is noted. */
const NOTE_TIMEOUT_MS = 1000;

export interface ReplicaOptions {
  primary: Database;
  /** The database of the replica. It is closed with the result. */
  replica: Database;
  logger: Logger;
  /** The longest lag of a replica that is read, in milliseconds. */
  maxLagMs: number;
  /** Milliseconds. */
  readTimeoutMs?: number;
}

/** Opens the reads of a replica: compares it with its primary all the time, from now on. */
export function followReplica({
  primary,
  replica,
  logger,
  maxLagMs,
  readTimeoutMs = READ_TIMEOUT_MS,
}: ReplicaOptions): Replica {
  const positions = positionHistory(maxLagMs);
  const counts: Replica['counts'] = {
    primary: Object.fromEntries(UNREAD_REASONS.map((reason) => [reason, 0])) as Record<UnreadReason, number>,
    replica: 0,
  };
  /** As last read. Null: the primary has not answered yet. */
  let primaryHistory: string | null = null;
  let unread: UnreadReason | null = 'not_compared';
  let wasBehind = false;
  let reported: string | null = null;
  let isClosed = false;

  /** @param text why the replica cannot be read, for the log */
  const note = (reason: UnreadReason | null, text: string | null) => {
    unread = reason;
    if (text === reported || isClosed) return;
    if (text === null) logger.info('searches and lists are read from the replica');
    else
      logger.warn(
        { reason: text },
        'searches and lists are read from the primary: the replica cannot be read',
      );
    reported = text;
  };

  /** Compares the two servers. */
  const compare = async () => {
    const at = performance.now();
    let fault: string | null = null;
    try {
      const known = await readPrimary(primary);
      positions.add(known.position, at);
      primaryHistory = known.history;
    } catch (error) {
      fault = `the primary does not show its position: ${describeError(error)}`;
    }
    // If the primary does not answer, the positions that are known are used as long as they are young enough.
    const needed = positions.oldest(at);
    if (needed === null) return note('not_compared', fault);
    try {
      const found = await withTimeout(BEAT_TIMEOUT_MS, readReplica(replica, needed), NO_ANSWER);
      if (found?.isReplica !== true) return note('wrong_server', 'the server is no replica');
      if (found.history !== primaryHistory)
        return note('wrong_server', 'the replica has another history than the primary');
      // One beat can come just before the replica has what the primary has had just before.
      if (found.hasPosition) note(null, null);
      else if (wasBehind) note('behind', 'the replica lags too long');
      wasBehind = !found.hasPosition;
    } catch (error) {
      note(unreadReason(error) ?? 'gone', describeError(error));
    }
  };
  let comparing: Promise<void> | null = null;
  const beat = () =>
    (comparing ??= compare().finally(() => {
      comparing = null;
    }));
  const beatMs = Math.min(MAX_BEAT_MS, maxLagMs / BEATS_PER_LAG);
  let timer: NodeJS.Timeout | undefined;
  const beatAgain = async () => {
    await beat();
    if (!isClosed) timer = setTimeout(beatAgain, beatMs).unref();
  };
  void beatAgain();

  /** Notes that a read has failed on the replica with this error, for this reason. */
  const noteFailure = (error: unknown, reason: UnreadReason) => {
    if (reason === 'gone') note(reason, describeError(error));
    if (reason === 'no_answer') {
      // The read can only be slow. Until the next beat is answered, the replica is not read.
      unread = reason;
      void beat();
    }
  };

  return {
    read: async (needed, run) => {
      if (unread !== null) return { unread };
      const oldest = positions.oldest(performance.now());
      if (oldest === null) return { unread: 'not_compared' };
      const readable = withCheck(replica, needed === null ? oldest : later(needed, oldest));
      try {
        const result = await withTimeout(readTimeoutMs, run(readable), NO_ANSWER);
        counts.replica += 1;
        return { result };
      } catch (error) {
        const reason = unreadReason(error);
        if (reason === null) throw error;
        noteFailure(error, reason);
        return { unread: reason };
      }
    },
    noteChange: async (scope, withdraws) => {
      const { companyId, userId } = scope;
      const values = [companyId];
      const notes: string[] = [];
      if (userId !== NOBODY) notes.push(`identity.note_change($1, $${values.push(userId)})`);
      if (withdraws && 'teamId' in scope)
        notes.push(`identity.note_withdrawal($1, $${values.push(scope.teamId)})`);
      if (notes.length === 0) return;
      // In one transaction, because that of `note_change` does not wait for the disk.
      const noted = primary.query(`select ${notes.join(', ')}`, values);
      await withTimeout(NOTE_TIMEOUT_MS, noted, 'the database did not answer').catch((error: unknown) => {
        // The change is stored. Only a read that the replica answers in the next seconds can lack it.
        logger.warn({ err: error }, 'the position of a change was not noted');
      });
    },
    isUsable: () => unread === null,
    counts,
    connections: () => replica.connections(),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await replica.close();
    },
  };
}

/** A replica whose transactions fail if it has not replayed up to this position. */
function withCheck(replica: Database, needed: LogPosition): Database {
  const check = `select identity.require_replayed(${escapeLiteral(needed)})`;
  return {
    ...replica,
    transaction: (fn, opening) =>
      replica.transaction(fn, {
        ...opening,
        text: opening === undefined ? check : `${check}; ${opening.text}`,
      }),
  };
}

/**
 * Reads from the replica if there is one that has all that the caller has changed, or else from the primary. What is not
 * found on the replica is looked for on the primary, because it can be newer than the replica.
 * @param run only reads. It is run again, on the primary, if the replica fails or does not answer in time
 */
export async function readFromReplica<S extends Scope, T>(
  database: Database,
  scope: S,
  run: (from: Database) => Promise<T>,
): Promise<T> {
  const { replica } = database;
  if (replica === undefined) return run(database);
  const attempt = await replica.read(scope.lastChange, run);
  if ('result' in attempt) return attempt.result;
  const result = await run(database);
  replica.counts.primary[attempt.unread] += 1;
  return result;
}
