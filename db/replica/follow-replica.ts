import { escapeLiteral } from 'pg';
import { describeError } from '../../shared/lifecycle.ts';
import type { Logger } from '../../shared/logger.ts';
import { withTimeout } from '../../shared/resources/with-timeout.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { Database, LogPosition, Replica } from '../driver/database.ts';
import { UNREAD_REASONS, type UnreadReason } from '../driver/unread-reasons.ts';
import { readPrimary, readReplica } from './compare.ts';
import { later, positionHistory } from './log-position.ts';
import { NO_ANSWER, unreadReason } from './unread.ts';

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
