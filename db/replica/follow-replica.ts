import { escapeLiteral } from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import { describeError } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/with-timeout.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { Database, LogPosition, Replica } from '../driver/database.ts';
import { databaseFault } from '../driver/faults.ts';
import { CONNECT_TIMED_OUT, isUnanswered } from '../driver/postgres-pool.ts';
import { later, positionHistory } from './log-position.ts';
import { BehindError } from './read-from-replica.ts';

/** SQLSTATE of `identity.require_replayed`: the server is no replica, or has not replayed enough. */
const BEHIND = 'RB001';
/** SQLSTATEs of a server with another schema or other rights, or of a statement that a replica cannot run. */
const CANNOT_RUN = new Set(['3F000', '42501', '42703', '42883', '42P01', '0A000', '25006']);
/** A statement that the server ended because of its time limit would take as long on the primary. */
const TOO_LONG = '57014';
/** Ended because the replica replays something else, such as the removal of rows that the statement reads, or a lock. */
const CONFLICTS = new Set(['40001', '40P01', '55P03']);

/** The positions are read this often within the longest lag, and at least once in `MAX_BEAT_MS`. */
const BEATS_PER_LAG = 5;
const MAX_BEAT_MS = 1000;
/** How long the replica can take to answer a beat. */
const BEAT_TIMEOUT_MS = 2000;
/** How long a request waits until its change is noted. */
const NOTE_TIMEOUT_MS = 1000;

/**
 * What identifies the history that a position belongs to: the cluster, and the timeline, which begins with a promotion. A
 * replica of a primary that was replaced has another timeline.
 */
const ORIGIN = `(select system_identifier from pg_control_system())::text || ' ' ||
  (select timeline_id from pg_control_checkpoint()) as origin`;

interface ServerState {
  position: LogPosition;
  origin: string;
}

export interface ReplicaOptions {
  primary: Database;
  /** The database of the replica. It is closed with the result. */
  replica: Database;
  logger: Logger;
  /** The longest lag of a replica that is read, in milliseconds. */
  maxLagMs: number;
}

/** Opens the reads of a replica: compares it with its primary all the time, from now on. */
export function followReplica({ primary, replica, logger, maxLagMs }: ReplicaOptions): Replica {
  const history = positionHistory(maxLagMs);
  const counts = { primary: 0, replica: 0 };
  let isUsable = false;
  let wasBehind = false;
  let reported: string | null = null;
  let isClosed = false;

  /** @param reason why the replica cannot be used; null if it can */
  const note = (reason: string | null) => {
    isUsable = reason === null;
    if (reason === reported || isClosed) return;
    if (reason === null) logger.info('searches and lists are read from the replica');
    else logger.warn({ reason }, 'searches and lists are read from the primary: the replica cannot be read');
    reported = reason;
  };

  /** Compares the two servers. */
  const beat = async () => {
    const at = performance.now();
    // If the primary does not answer, the positions that are known are used as long as they are young enough.
    const [state] = await primary
      .query<ServerState>(`select pg_current_wal_flush_lsn()::text as position, ${ORIGIN}`)
      .catch(() => []);
    if (state !== undefined) history.add(state.position, at);
    const needed = history.oldest(at);
    if (needed === null) return;
    try {
      const read = replica.query<Pick<ServerState, 'origin'>>(
        `select ${ORIGIN} from identity.require_replayed($1::pg_lsn)`,
        [needed],
      );
      const [found] = await withTimeout(BEAT_TIMEOUT_MS, read, 'the replica does not answer');
      wasBehind = false;
      const isSame = state === undefined || found?.origin === state.origin;
      note(isSame ? null : 'the replica has another history than the primary');
    } catch (error) {
      // One beat can come just before the replica has what the primary has had just before.
      const isBehind = codeOf(error) === BEHIND;
      if (!isBehind || wasBehind) note(describeError(error));
      wasBehind = isBehind;
    }
  };
  const beatMs = Math.min(MAX_BEAT_MS, maxLagMs / BEATS_PER_LAG);
  let timer: NodeJS.Timeout | undefined;
  const beatAgain = async () => {
    await beat();
    if (!isClosed) timer = setTimeout(beatAgain, beatMs).unref();
  };
  void beatAgain();

  return {
    upTo: (needed) => {
      const oldest = isUsable ? history.oldest(performance.now()) : null;
      if (oldest === null) return null;
      return withCheck(replica, needed === null ? oldest : later(needed, oldest));
    },
    noteFailure: (error) => {
      if (error instanceof BehindError) return true;
      if (error instanceof ServiceError) return error.code === 'not_found';
      const code = codeOf(error);
      if (code === BEHIND || CANNOT_RUN.has(code) || CONFLICTS.has(code)) return true;
      if (code === TOO_LONG || databaseFault(error) !== 'unavailable') return false;
      // All connections to the replica are in use: it is busy, and not gone.
      if (error instanceof Error && error.message === CONNECT_TIMED_OUT) return true;
      note(describeError(error));
      // It has waited as long as a request can: a second attempt would be too late.
      return !isUnanswered(error);
    },
    noteChange: async ({ companyId, userId }) => {
      if (userId === NOBODY) return;
      const noted = primary.query('select identity.note_change($1, $2)', [companyId, userId]);
      await withTimeout(NOTE_TIMEOUT_MS, noted, 'the database did not answer').catch((error: unknown) => {
        // The change is stored. Only a read that the replica answers in the next seconds can lack it.
        logger.warn({ err: error }, 'the position of a change was not noted');
      });
    },
    isUsable: () => isUsable,
    counts,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await replica.close();
    },
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

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
