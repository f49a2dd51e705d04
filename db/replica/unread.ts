import { ServiceError } from '../../shared/errors.ts';
import { databaseFault } from '../driver/faults.ts';
import { CONNECT_TIMED_OUT } from '../driver/postgres-pool.ts';
import type { UnreadReason } from '../driver/unread-reasons.ts';

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
export const NO_ANSWER = 'the replica does not answer';

/** Why the primary must answer a read that has failed on the replica. Null: it would fail there too. */
export function unreadReason(error: unknown): UnreadReason | null {
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
