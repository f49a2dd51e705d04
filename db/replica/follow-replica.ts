import { escapeLiteral } from 'pg';
import { ServiceError } from '../../shared/errors.ts';
import { describeError } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/logger.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { Database, LogPosition, Replica } from '../driver/database.ts';
import { databaseFault } from '../driver/faults.ts';
import { isUnanswered } from '../driver/postgres-pool.ts';
import { later, positionHistory } from './log-position.ts';
import { BehindError } from './read-from-replica.ts';

/*
 * Reads from a replica, which lags behind the primary. A read needs a position in the primary's log: the later one of
 * where the caller's last change is, and of where the primary was as long ago as a replica can lag. The replica checks in
 * the packet of the read whether it has that position. If it does not, or does not answer, the primary is read.
 */

/** SQLSTATE of `identity.require_replayed`: the server is no replica, or has not replayed enough. */
const BEHIND = 'RB001';
/** SQLSTATEs of a replica that lacks a migration of this version, or of a statement that a replica cannot run. */
const CANNOT_RUN = new Set(['42883', '42P01', '42703', '0A000']);
/** A statement that the server ended because of its time limit would take as long on the primary. */
const TOO_LONG = '57014';
/** Ended because the replica replays something else, such as the removal of rows that the statement reads. */
const CONFLICTS = new Set(['40001', '40P01']);

/** The positions are read this often within the longest lag, and at least once in `MAX_BEAT_MS`. */
const BEATS_PER_LAG = 5;
const MAX_BEAT_MS = 1000;

export interface ReplicaOptions {
  primary: Database;
  /** The database of the replica. It is closed with the result. */
  copy: Database;
  logger: Logger;
  /** The longest lag of a replica that is read, in milliseconds. */
  maxLagMs: number;
}

/** Starts to compare a replica with its primary. It is used from the first comparison on. */
export function followReplica({ primary, copy, logger, maxLagMs }: ReplicaOptions): Replica {
  const history = positionHistory(maxLagMs);
  const counts = { primary: 0, replica: 0 };
  let isUsable = false;
  let reported: string | null = null;
  const closing = new AbortController();

  /** @param reason why the replica cannot be used; null if it can */
  const note = (reason: string | null) => {
    isUsable = reason === null;
    if (reason === reported || closing.signal.aborted) return;
    if (reason === null) logger.info('searches and lists are read from the replica');
    else
      logger.warn({ reason }, 'the replica cannot be read, so the primary is: it looks again every second');
    reported = reason;
  };

  /** Compares the two servers. */
  const beat = async () => {
    const at = performance.now();
    try {
      const [row] = await primary.query<{ position: LogPosition }>(
        'select pg_current_wal_flush_lsn()::text as position',
      );
      if (row !== undefined) history.add(row.position, at);
    } catch (error) {
      return note(`the position of the primary is not known: ${describeError(error)}`);
    }
    const needed = history.oldest(at);
    if (needed === null) return;
    try {
      await copy.query('select identity.require_replayed($1::pg_lsn)', [needed]);
      note(null);
    } catch (error) {
      note(describeError(error));
    }
  };
  const beatMs = Math.min(MAX_BEAT_MS, maxLagMs / BEATS_PER_LAG);
  let timer: NodeJS.Timeout | undefined;
  const beatAgain = async () => {
    await beat();
    if (!closing.signal.aborted) timer = setTimeout(beatAgain, beatMs).unref();
  };
  void beatAgain();

  return {
    from: (needed) => {
      const oldest = isUsable ? history.oldest(performance.now()) : null;
      if (oldest === null) return null;
      return from(copy, needed === null ? oldest : later(needed, oldest));
    },
    isLost: (error) => {
      if (error instanceof BehindError) return true;
      if (error instanceof ServiceError) return error.code === 'not_found';
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === BEHIND || CANNOT_RUN.has(code) || CONFLICTS.has(code)) return true;
      if (code === TOO_LONG || databaseFault(error) !== 'unavailable') return false;
      note(describeError(error));
      // It has waited as long as a request can: a second attempt would be too late.
      return !isUnanswered(error);
    },
    noteChange: async ({ companyId, userId }) => {
      if (userId === NOBODY) return;
      await primary
        .query('select identity.note_change($1, $2)', [companyId, userId])
        .catch((error: unknown) => {
          // The change is stored. Only a read that the replica answers in the next seconds can lack it.
          logger.warn({ err: error }, 'the position of a change was not noted');
        });
    },
    isUsable: () => isUsable,
    counts,
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await copy.close();
    },
  };
}

/** The replica, for transactions that fail if it has not replayed up to this position. */
function from(copy: Database, needed: LogPosition): Database {
  const check = `select identity.require_replayed(${escapeLiteral(needed)})`;
  return {
    ...copy,
    transaction: (fn, opening) =>
      copy.transaction(fn, {
        ...opening,
        text: opening === undefined ? check : `${check}; ${opening.text}`,
      }),
  };
}
