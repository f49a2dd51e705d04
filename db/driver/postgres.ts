import type pg from 'pg';
import type { Logger } from '../../shared/logger.ts';
import { inStep } from '../../shared/tracing/spans.ts';
import { type Database, type Opening, preparedName, type Queryable } from './database.ts';
import { isChangeRefused, isStaleStatement } from './faults.ts';
import {
  beginWithin,
  type ConnectionPool,
  type DestroyAfterUse,
  isUnanswered,
  JOB_TIMEOUTS,
  openConnectionPool,
  type PostgresTimeouts,
  poolSettings,
} from './postgres-pool.ts';
import { sendBegin } from './servers/server-choice.ts';
import { inStatementSpan } from './statement-span.ts';

/** The client time-out of scripts, such as migrations: the longest timer. With 0 the driver would use the usual one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @param onFailure is called when a statement fails, before later statements are answered */
function queryable(client: pg.Client, onFailure?: (error: unknown) => void): Queryable {
  return {
    query: <R extends object>(text: string, values: readonly unknown[] = []) =>
      inStatementSpan(text, async () => {
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
      }),
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
  /** Whether the servers can be replicas. */
  isForReading?: boolean;
}

/**
 * The driver for PostgreSQL.
 * @param url the connection string; a secret, never logged
 */
export function openPostgres(
  url: string,
  logger: Logger,
  { max = 10, timeouts = JOB_TIMEOUTS, isForReading = false }: PostgresOptions = {},
): Database {
  const settings = { ...poolSettings(url, timeouts), max, application_name: 'team-memory' };
  const pool = openConnectionPool(settings, timeouts, logger, isForReading);

  return {
    backend: 'postgres',
    ...statementsOn(pool, beginWithin(timeouts)),
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
 * @param beginning begins a transaction with limits. Single statements then run in a transaction too, because that is
 *   how long the limits last. Null: there are no limits, and a single statement can be one that needs to be on its own
 */
export function statementsOn(
  source: ConnectionSource,
  beginning: string | null = null,
): Pick<Database, 'query' | 'transaction' | 'script'> {
  return {
    query: (text, values) =>
      source.use(async (client, destroyAfterUse) => {
        try {
          const { query } = queryable(client);
          if (beginning === null) return await query(text, values);
          return await queryWithin(client, beginning, () => query(text, values));
        } catch (error) {
          destroyAfterUse(error as Error);
          throw error;
        }
      }),
    // The step includes the wait for a connection, which the steps of its statements do not.
    transaction: (fn, opening) =>
      inStep(
        () => 'transaction',
        {},
        () => inTransaction(source, { ...opening, beginning: beginning ?? 'begin' }, fn),
      ),
    script: async (tx, text) => {
      const withoutTimeout: pg.QueryConfig & pg.ClientConfig = { text, query_timeout: MAX_TIMER_MS };
      await (tx as PostgresTransaction).client.query(withoutTimeout);
    },
  };
}

/**
 * Sends a statement in a transaction of its own, in one packet.
 * @throws the error of the statement, or of the commit
 */
export async function queryWithin<T>(
  client: pg.Client,
  beginning: string,
  send: () => Promise<T>,
): Promise<T> {
  sendTogether(client);
  const sent = [sendBegin(client, beginning), send(), client.query('commit')] as const;
  // After an error of the statement, `commit` rolls back and is answered too: the next user must not get that answer.
  const [begun, answer, committed] = await Promise.allSettled(sent);
  for (const part of [begun, answer, committed]) if (part.status === 'rejected') throw part.reason;
  return (answer as PromiseFulfilledResult<T>).value;
}

/** A transaction with its connection, for settings that `query` does not have. */
interface PostgresTransaction extends Queryable {
  readonly client: pg.Client;
}

/** How a transaction begins: with the limits, and with its own settings, if there are any. */
type Beginning = Partial<Opening> & { beginning: string };

async function inTransaction<T>(
  source: ConnectionSource,
  opening: Beginning,
  fn: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return source.use(async (client, destroyAfterUse) => {
    let cause: unknown;
    let notBegun: unknown;
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
      const { begun, result } = await begin({ client, query }, opening, run, (error) => {
        notBegun = error;
      });
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
      await rollBack(client, destroyAfterUse, error);
      const failure = notBegun ?? (isAborted(error) ? (cause ?? error) : error);
      // A server that only reads refuses every change. Another connection can lead to one that does not.
      const isServerReadOnly = isChangeRefused(failure) && opening.isReadOnly !== true;
      if (isStaleStatement(failure) || isServerReadOnly) destroyAfterUse(failure as Error);
      throw failure;
    }
  });
}

/**
 * Begins a transaction with its settings, and runs `run`. All that is sent at once goes into one packet, which
 * saves round trips.
 * @param onFailure is called if the transaction does not begin
 * @returns the result of `run`, and whether the transaction has begun, which can be unknown until `commit` is answered
 * @throws Error if it does not begin, or if `run` fails
 */
async function begin<T>(
  { client, query }: PostgresTransaction,
  { beginning, text = '', isSentWithFirstRead, isReadOnly, isOneMoment }: Beginning,
  run: (ask: Queryable['query']) => Promise<T>,
  onFailure: (error: unknown) => void,
): Promise<{ begun: Promise<unknown>; result: T }> {
  sendTogether(client);
  // Of `begin` itself: no statement may come before it, and `sendBegin` and a replica put their checks there.
  const isolated = isOneMoment === true ? 'begin isolation level repeatable read' : 'begin';
  const parts = [
    beginning.replace(/^begin/, isolated),
    isReadOnly === true ? 'set transaction read only' : '',
    text,
  ];
  const begun = sendBegin(client, parts.filter((part) => part !== '').join('; '));
  begun.catch(onFailure);
  if (isSentWithFirstRead !== true) {
    await begun;
    return { begun, result: await run(query) };
  }
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
