/** Why the primary has answered a read that a replica can answer. */
export const UNREAD_REASONS = [
  /** It lags too long, or does not have a change of the caller yet. */
  'behind',
  /** What the read asks for is not on it. */
  'missing',
  /** Its connections are all in use. */
  'busy',
  /** It has not answered in time. */
  'no_answer',
  /** It must replay something that the read prevents. */
  'conflict',
  /** It has another schema or other rights. */
  'cannot_run',
  /** It cannot be reached. */
  'gone',
  /** It is no replica, or one of another primary. */
  'wrong_server',
  /** It is not known yet what it must have. */
  'not_compared',
] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];
