/** SQLSTATE classes of errors that a value of the request causes: 22 data exception, 54 limit exceeded. */
const BAD_VALUE = /^(22|54)/;
/**
 * Connection lost (08), too many connections or out of memory (53), shutting down (57P), statement timeout (57014),
 * lock timeout (55P03), serialization failure (40001), deadlock (40P01), read-only transaction (25006). Also 23503: a
 * record that the request refers to was deleted at the same time, and a repeated request gets a 404.
 */
const UNAVAILABLE = /^(08|53|57P|57014|55P03|40001|40P01|23503|25006)/;
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** No space on the disk. */
const DISK_FULL = '53100';

/** Messages of node-postgres for time-outs and lost connections. These errors have no code. */
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|has encountered a connection error/;

/**
 * Whether a statement must be prepared again, on another connection: a migration has changed a column that it returns.
 * PostgreSQL translates the message, and has other errors with this code, so the function that reports it tells.
 */
export function isStaleStatement(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** A change in a transaction that only reads, which every transaction does on a replica. */
const READ_ONLY = '25006';

/** Whether a change was refused because its transaction only reads, for example because its server is a replica. */
export function isChangeRefused(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === READ_ONLY;
}

/** Whether a statement was refused because another row has the same key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false;
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && violated === constraint;
}

const NO_ANSWER = /timeout exceeded when trying to connect|Query read timeout/;

/** Whether the database did not answer in time. A second attempt can take as long. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof Error && NO_ANSWER.test(error.message);
}

/** Classifies an error of the database for the caller. Null: a fault of the service. */
export function databaseFault(error: unknown): 'bad_value' | 'disk_full' | 'unavailable' | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (BAD_VALUE.test(code)) return 'bad_value';
    if (code === DISK_FULL) return 'disk_full';
    if (UNAVAILABLE.test(code) || SOCKET.has(code)) return 'unavailable';
  }
  return CONNECTION_LOST.test(error.message) || isStaleStatement(error) ? 'unavailable' : null;
}
