import pg from 'pg';
import type { Logger } from '../../shared/logger.ts';
import type { Database, Queryable } from './database.ts';
import {
  type Condemn,
  type ConnectionPool,
  isUnanswered,
  JOB_TIMEOUTS,
  openConnectionPool,
  type PostgresTimeouts,
  poolSettings,
} from './postgres-pool.ts';

/** A script, which is a migration, ends by the server's word alone. A time-out of 0 would mean the usual one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * How values are read, of either database: int8 and numeric as number, alone and in arrays. All else as the driver does
 * it: bytea is a Buffer, timestamptz a Date, jsonb parsed, uuid a string.
 */
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;
export const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);
// The declaration says that a parser takes the type's number; it takes the text.
types.setTypeParser(INT8_ARRAY, types.getTypeParser(NUMERIC_ARRAY) as unknown as (text: string) => number[]);

function queryable(client: pg.Client): Queryable {
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

/** How a database is opened where it is not as usual. */
export interface PostgresOptions {
  /** Connections of the pool. */
  max?: number;
  timeouts?: PostgresTimeouts;
}

/**
 * The driver for PostgreSQL.
 * @param url connection setting; a secret, never logged
 */
export function openPostgres(
  url: string,
  logger: Logger,
  { max = 10, timeouts = JOB_TIMEOUTS }: PostgresOptions = {},
): Database {
  const settings = {
    ...poolSettings(url, timeouts),
    max,
    types,
    application_name: 'team-memory',
    // Statements that are not waited for go out at once: `begin` with the first of its transaction.
    pipeline: true,
  };
  const pool = openConnectionPool(settings, timeouts, logger);

  return {
    backend: 'postgres',
    ...statementsOn(pool),
    connections: pool.connections,
    canWrite: () => true,
    close: pool.close,
  };
}

/** What is lent by turns to those who run statements. */
type Loans = Pick<ConnectionPool, 'use'>;

/** How statements and transactions run on connections that are lent. */
export function statementsOn(loans: Loans): Pick<Database, 'query' | 'transaction' | 'script'> {
  return {
    query: (text, values) =>
      loans.use(async (client, condemn) => {
        try {
          return await queryable(client).query(text, values);
        } catch (error) {
          condemn(error as Error);
          throw error;
        }
      }),
    transaction: (fn, opening) => inTransaction(loans, fn, opening),
    script: async (tx, text) => {
      const unhurried: pg.QueryConfig & pg.ClientConfig = { text, query_timeout: LONGEST_TIMER_MS };
      await (tx as PostgresTransaction).client.query(unhurried);
    },
  };
}

/** A transaction with its connection, for what a statement alone cannot ask. */
interface PostgresTransaction extends Queryable {
  readonly client: pg.Client;
}

async function inTransaction<T>(
  loans: Loans,
  fn: (tx: Queryable) => Promise<T>,
  opening: 'together' | undefined,
): Promise<T> {
  return loans.use(async (client, condemn) => {
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
      await rollBack(client, condemn, error);
      throw error;
    }
  });
}

async function rollBack(client: pg.Client, condemn: Condemn, cause: unknown): Promise<void> {
  // Nobody answers on that connection: a rollback would wait as long as the statement did.
  if (isUnanswered(cause)) return condemn(cause);
  try {
    await client.query('rollback');
  } catch (error) {
    // A client that cannot even roll back would poison its next user: have the pool destroy it.
    condemn(error instanceof Error ? error : new Error('rollback failed'));
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
