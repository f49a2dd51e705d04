import pg from 'pg';
import type { Logger } from '../shared/logger.ts';
import type { Database, Queryable } from './database.ts';

/** How long a statement may run before the server ends it. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A script, which is a migration, ends by the server's word alone. A time-out of 0 would mean the usual one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * One parser per type in which the drivers differ, so that both yield the same values: int8 and numeric as
 * number, alone and in arrays, bytea as Buffer. Everything else agrees: timestamptz is a Date, jsonb parsed,
 * uuid a string.
 */
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);
// The declaration says that a parser takes the type's number; it takes the text.
types.setTypeParser(INT8_ARRAY, types.getTypeParser(NUMERIC_ARRAY) as unknown as (text: string) => number[]);

function queryable(client: pg.Pool | pg.PoolClient): Queryable {
  return {
    query: async <R extends object>(text: string, values: readonly unknown[] = []) => {
      const bound = values.map(toBound);
      return (await client.query(text, bound)).rows as R[];
    },
  };
}

/** A value as the driver takes it. */
function toBound(value: unknown): unknown {
  // The driver would write a time by the clocks of the process's zone, which once were off by odd seconds.
  if (value instanceof Date) return value.toISOString();
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/**
 * The driver for PostgreSQL.
 * @param url connection setting; a secret, never logged
 * @param max connections of the pool
 */
export function openPostgres(url: string, logger: Logger, max = 10): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    application_name: 'team-memory',
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // Statements that are not waited for go out at once: `begin` with the first of its transaction.
    pipeline: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // The client waits longer, so the server does it: also of a statement that left behind another.
    query_timeout: 2 * STATEMENT_TIMEOUT_MS + 5000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without these two a backend that the server terminates ends the process with an unhandled 'error'.
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost');
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  let closing: Promise<void> | null = null;

  return {
    backend: 'postgres',
    query: queryable(pool).query,
    transaction: (fn, opening) => inTransaction(pool, fn, opening),
    script: async (tx, text) => {
      const unhurried: pg.QueryConfig & pg.ClientConfig = { text, query_timeout: LONGEST_TIMER_MS };
      await (tx as PostgresTransaction).client.query(unhurried);
    },
    connections: () => ({
      max,
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    canWrite: () => true,
    close: () => (closing ??= pool.end()),
  };
}

/** A transaction with its connection, for what a statement alone cannot ask. */
interface PostgresTransaction extends Queryable {
  readonly client: pg.PoolClient;
}

async function inTransaction<T>(
  pool: pg.Pool,
  fn: (tx: Queryable) => Promise<T>,
  opening: 'together' | undefined,
): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const tx: PostgresTransaction = { ...queryable(client), client };
    const result =
      opening === 'together' ? await beginTogether(tx, fn) : await client.query('begin').then(() => fn(tx));
    const { command } = await client.query('commit');
    // COMMIT after a failed statement rolls back without a word but this one.
    if (command !== 'COMMIT')
      throw new Error('the transaction was rolled back: a statement in it had failed');
    return result;
  } catch (error) {
    try {
      await client.query('rollback');
    } catch (rollbackError) {
      // A client that cannot even roll back would poison its next user: have the pool destroy it.
      failure = rollbackError instanceof Error ? rollbackError : new Error('rollback failed');
    }
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Begins and runs `fn`, whose first statement leaves in one packet with `begin`, and fails if that fails. */
async function beginTogether<T>(tx: PostgresTransaction, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  const { stream } = tx.client.connection;
  let begun: Promise<unknown>;
  let done: Promise<T>;
  stream.cork();
  try {
    begun = tx.client.query('begin');
    // Told below, once `fn` has ended: until then the connection must be its own, and whatever it asks is refused.
    let refused: unknown;
    begun.catch((error: unknown) => {
      refused = error;
    });
    const query: Queryable['query'] = async (text, values) => {
      if (refused !== undefined) throw refused;
      const [rows] = await Promise.all([tx.query(text, values), begun]);
      return rows as never;
    };
    done = fn({ ...tx, query });
  } finally {
    stream.uncork();
  }
  const result = await done;
  await begun;
  return result;
}
