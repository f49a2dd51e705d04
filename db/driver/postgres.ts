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

/** The client time-out of scripts, such as migrations: the longest timer. With 0 the driver would use the usual one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * How values are read from both kinds of database: int8 and numeric as number, also in arrays. All other types are read
 * as the driver reads them: bytea as Buffer, timestamptz as Date, jsonb parsed, uuid as string.
 */
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;
export const types = new pg.TypeOverrides();
types.setTypeParser(INT8, Number);
types.setTypeParser(NUMERIC, Number);
// The declared type of the parser is wrong: its argument is the text of the value.
types.setTypeParser(INT8_ARRAY, types.getTypeParser(NUMERIC_ARRAY) as unknown as (text: string) => number[]);

function queryable(client: pg.Client): Queryable {
  return {
    query: async <R extends object>(text: string, values: readonly unknown[] = []) => {
      const bound = values.map(toBound);
      return (await client.query(text, bound)).rows as R[];
    },
  };
}

/** Converts a value for the driver. */
function toBound(value: unknown): unknown {
  // The driver would write the time in the zone of the process, whose offset was not in whole minutes in the past.
  if (value instanceof Date) return value.toISOString();
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

export interface PostgresOptions {
  /** How many connections the pool can have. */
  max?: number;
  timeouts?: PostgresTimeouts;
}

/**
 * The driver for PostgreSQL.
 * @param url the connection string; a secret, never logged
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
    // Sends statements without waiting for the answer to earlier ones, for example `begin` with the next statement.
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

/** Where statements get a connection. */
type Loans = Pick<ConnectionPool, 'use'>;

/** Runs statements and transactions on the connections of a pool or of the engine. */
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
      const withoutTimeout: pg.QueryConfig & pg.ClientConfig = { text, query_timeout: LONGEST_TIMER_MS };
      await (tx as PostgresTransaction).client.query(withoutTimeout);
    },
  };
}

/** A transaction with its connection, for settings that `query` does not have. */
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
      // COMMIT after a failed statement rolls back without an error. Only the command tag shows it.
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
  // The connection is dead, so a rollback would wait as long as the statement did.
  if (isUnanswered(cause)) return condemn(cause);
  try {
    await client.query('rollback');
  } catch (error) {
    // A connection that is still in a transaction must not be used again, so the pool destroys it.
    condemn(error instanceof Error ? error : new Error('rollback failed'));
  }
}

/**
 * Runs `fn` in a transaction. `begin` and the first statement of `fn` are sent in one packet. Fails if `begin` fails.
 */
async function beginTogether<T>(tx: PostgresTransaction, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  const { stream } = tx.client.connection;
  let begun: Promise<unknown>;
  let done: Promise<T>;
  stream.cork();
  try {
    begun = tx.client.query('begin');
    // Thrown below, after `fn` has ended. Until then `fn` keeps the connection, and each statement of it is refused.
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
