/** SQLSTATE classes that mean the value, not the service, is at fault: 22 data exception, 54 limit exceeded. */
const BAD_VALUE = /^(22|54)/;
/**
 * Connection lost (08), shutting down (57P), only for reading (25006), too many connections or out of memory (53), timeouts, deadlocks; and
 * what is referred to went while the request was under way (23503): asked again, it is refused as not there.
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

/** What node-postgres says of time-outs and lost connections, without a code. */
const CONNECTION_LOST =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|has encountered a connection error/;

const SILENCE = /timeout exceeded when trying to connect|Query read timeout/;

/** Whether the database did not answer in time. A second attempt can wait just as long. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && SILENCE.test(error.message);
}

/** What an error of the database means to a caller, or null where it is a fault of our own. */
export function databaseFault(error: unknown): 'bad_value' | 'disk_full' | 'unavailable' | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (BAD_VALUE.test(code)) return 'bad_value';
    if (code === DISK_FULL) return 'disk_full';
    if (UNAVAILABLE.test(code) || SOCKET.has(code)) return 'unavailable';
  }
  return CONNECTION_LOST.test(error.message) ? 'unavailable' : null;
}
