import pg from 'pg';
import type { Logger } from '../../shared/logger.ts';
import { type Database, inOneRoundTrip, type Opening, preparedName, type Queryable } from './database.ts';
import { isStaleStatement } from './faults.ts';
import {
  type ConnectionPool,
  type DestroyAfterUse,
  isUnanswered,
  JOB_TIMEOUTS,
  openConnectionPool,
  type PostgresTimeouts,
  poolSettings,
  timeoutsInTransaction,
} from './postgres-pool.ts';

/** The client time-out of scripts, such as migrations: the longest timer. With 0 the driver would use the usual one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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

/** @param onFailure is called when a statement fails, before later statements are answered */
function queryable(client: pg.Client, onFailure?: (error: unknown) => void): Queryable {
  return {
    query: async <R extends object>(text: string, values: readonly unknown[] = []) => {
      try {
        sendTogether(client);
        const name = preparedName(text);
        const bound = values.map(toBound);
        const sent =
          name === undefined ? client.query(text, bound) : client.query({ name, text, values: bound });
        return (await sent).rows as R[];
      } catch (error) {
        onFailure?.(error);
        throw error;
      }
    },
  };
}

/**
 * Puts all that is sent before the event loop goes on into one packet, for example `begin` with the next statements, and
 * an audit event with `commit`. Each packet costs a call of the system and wakes the server.
 */
function sendTogether({ connection: { stream } }: pg.Client): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
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
    ...statementsOn(pool, timeoutsInTransaction(timeouts)),
    connections: pool.connections,
    canWrite: () => true,
    freeBytes: () => null,
    close: pool.close,
  };
}

/** Where statements get a connection. */
type ConnectionSource = Pick<ConnectionPool, 'use'>;

/**
 * Runs statements and transactions on the connections of a pool or of the engine.
 * @param timeouts the statements that set the server's time-outs in each transaction; null for none, and then `query`
 *   sends its statement without a transaction
 */
export function statementsOn(
  source: ConnectionSource,
  timeouts: string | null,
): Pick<Database, 'query' | 'transaction' | 'script'> {
  const transaction: Database['transaction'] = (fn, opening) =>
    inTransaction(source, fn, {
      ...opening,
      text: [timeouts, opening?.text].filter((text) => text != null).join('; '),
    });
  return {
    query: async (text, values) => {
      if (timeouts !== null)
        return inOneRoundTrip({ transaction }, { text: '' }, (tx) => tx.query(text, values));
      return source.use(async (client, destroyAfterUse) => {
        try {
          return await queryable(client).query(text, values);
        } catch (error) {
          destroyAfterUse(error as Error);
          throw error;
        }
      });
    },
    transaction,
    script: async (tx, text) => {
      const withoutTimeout: pg.QueryConfig & pg.ClientConfig = { text, query_timeout: MAX_TIMER_MS };
      await (tx as PostgresTransaction).client.query(withoutTimeout);
    },
  };
}

/** A transaction with its connection, for settings that `query` does not have. */
interface PostgresTransaction extends Queryable {
  readonly client: pg.Client;
}

async function inTransaction<T>(
  source: ConnectionSource,
  fn: (tx: Queryable) => Promise<T>,
  opening: Opening,
): Promise<T> {
  return source.use(async (client, destroyAfterUse) => {
    let cause: unknown;
    const { query } = queryable(client, (error) => {
      cause ??= error;
    });
    let isOver = false;
    const run = async (ask: Queryable['query']): Promise<T> => {
      const tx: PostgresTransaction = {
        client,
        query: async (text, values) => {
          // It would run outside of the transaction, without the claims.
          if (isOver) throw new Error('the transaction has ended');
          return ask(text, values);
        },
      };
      try {
        return await fn(tx);
      } finally {
        isOver = true;
      }
    };
    try {
      const { begun, result } = await begin({ client, query }, opening, run);
      // A statement that could not be sent has failed too, but the server does not know it.
      if (cause !== undefined) throw cause;
      // Answered after all other statements, also those that `fn` has not waited for.
      sendTogether(client);
      const [{ command }] = await Promise.all([client.query('commit'), begun]);
      // COMMIT after a failed statement rolls back without an error. Only the command tag shows it.
      if (command !== 'COMMIT' || cause !== undefined)
        throw cause ?? new Error('the transaction was rolled back: a statement in it had failed');
      return result;
    } catch (error) {
      const failure = isAborted(error) ? (cause ?? error) : error;
      await rollBack(client, destroyAfterUse, error);
      if (isStaleStatement(failure)) destroyAfterUse(failure);
      throw failure;
    }
  });
}

/**
 * Begins a transaction with its settings, and runs `run`. All that is sent at once goes into one packet, which
 * saves round trips.
 * @returns the result of `run`, and whether the transaction has begun, which can be unknown until `commit` is answered
 * @throws Error if it does not begin, or if `run` fails
 */
async function begin<T>(
  { client, query }: PostgresTransaction,
  opening: Opening,
  run: (ask: Queryable['query']) => Promise<T>,
): Promise<{ begun: Promise<unknown>; result: T }> {
  sendTogether(client);
  const begun = client.query(opening.text === '' ? 'begin' : `begin; ${opening.text}`);
  if (opening.isSentWithFirstRead !== true) {
    await begun;
    return { begun, result: await run(query) };
  }
  begun.catch(() => undefined);
  const gate = openGate(begun, query);
  const result = await run(gate.query);
  // The statements that wait are sent now, before `commit`.
  if (gate.isWaiting()) await begun;
  return { begun, result };
}

/** Lets one statement through before it is known whether a transaction has begun. */
interface Gate {
  query: Queryable['query'];
  /** Whether a statement waits until the transaction has begun. */
  isWaiting(): boolean;
}

/** Sends the first statement at once, and returns its rows only if the transaction has begun. Others wait for that. */
function openGate(begun: Promise<unknown>, query: Queryable['query']): Gate {
  let isFirst = true;
  let hasBegun = false;
  let isWaiting = false;
  const gated: Queryable['query'] = async (text, values) => {
    if (hasBegun) return query(text, values);
    if (!isFirst) {
      isWaiting = true;
      await begun;
      return query(text, values);
    }
    isFirst = false;
    const answer = query(text, values);
    answer.catch(() => undefined);
    await begun;
    hasBegun = true;
    return answer as never;
  };
  return { query: gated, isWaiting: () => isWaiting };
}

/** Whether a statement was refused because one before it had failed. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25P02';
}

async function rollBack(client: pg.Client, destroyAfterUse: DestroyAfterUse, cause: unknown): Promise<void> {
  // The connection is dead, so a rollback would wait as long as the statement did.
  if (isUnanswered(cause)) return destroyAfterUse(cause);
  try {
    await client.query('rollback');
  } catch (error) {
    // A connection that is still in a transaction must not be used again, so the pool destroys it.
    destroyAfterUse(error instanceof Error ? error : new Error('rollback failed'));
  }
}
