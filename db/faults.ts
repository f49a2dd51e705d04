/** SQLSTATE classes that mean the value, not the service, is at fault: 22 data exception, 54 limit exceeded. */
const BAD_VALUE = /^(22|54)/;
/** Connection lost (08), shutting down (57P), too many connections or out of memory (53), timeouts. */
const UNAVAILABLE = /^(08|53|57P|57014|55P03|40001|40P01)/;
const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** What an error of the database means to a caller, or null where it is a fault of our own. */
export function databaseFault(error: unknown): 'bad_value' | 'unavailable' | null {
  if (!(error instanceof Error)) return null;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') {
    if (BAD_VALUE.test(code)) return 'bad_value';
    if (UNAVAILABLE.test(code) || SOCKET.has(code)) return 'unavailable';
  }
  // node-postgres gives its own time-outs no code.
  if (
    /timeout exceeded when trying to connect|Query read timeout|Connection terminated/.test(error.message)
  ) {
    return 'unavailable';
  }
  return null;
}

/** The constraint that an insert or update ran against, or null. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && typeof constraint === 'string' ? constraint : null;
}
