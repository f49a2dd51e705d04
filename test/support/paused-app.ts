import assert from 'node:assert/strict';
import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import type { Database } from '../../db/driver/database.ts';
import type { PasswordHasher } from '../../shared/passwords.ts';
import type { TestApp } from './app.ts';
import { failingDatabase } from './failing-database.ts';
import { buildTestedApp } from './schema-compilers.ts';

/** An app that pauses requests half-way. */
export interface PausedApp {
  app: App;
  /** Resolves when a request has reached the point where it pauses. */
  reached: Promise<void>;
  release(): void;
}

/**
 * Where an app pauses:
 * - before its nth transaction. The first one is the statement that resolves the caller. The second one does what was
 *   asked, unless the request looks something up before it writes: then that is the third.
 * - after it verified or hashed a password, and before the transaction that follows.
 * - within a transaction, before a statement that contains this text.
 */
export type PausePoint = { transaction: number } | { password: 'verify' | 'hash' } | { statement: string };

type Test = { after(fn: () => unknown): void };

/** A pause to come. */
interface Pause {
  point: PausePoint;
  /** Its transactions so far. */
  transactions: number;
  reached: PromiseWithResolvers<void>;
  released: PromiseWithResolvers<void>;
}

/** A second app on the database of another one. Its requests pause where they are told to. */
export interface PausableApp {
  /** Its requests from now on pause there, until they are released. Only one pause can be open at a time. */
  pauseAt(point: PausePoint): PausedApp;
  /** Sends a request that does not pause, and counts its transactions. */
  countTransactions<T>(send: (app: App) => PromiseLike<T>): Promise<{ answer: T; transactions: number }>;
  close(): Promise<void>;
}

/** A second app on the database of the first, which pauses its requests. Closed when the test is done. */
export async function openPausedApp(
  t: Test,
  service: Dependencies,
  point: PausePoint = { transaction: 2 },
): Promise<PausedApp> {
  const app = await openPausableApp(service, { seesStatements: 'statement' in point });
  t.after(() => app.close());
  return app.pauseAt(point);
}

/**
 * Opens an app that several tests use, one after the other.
 * @param options.seesStatements whether it can pause at a statement; then a transaction sends its statements one by one
 */
export async function openPausableApp(
  service: Dependencies,
  options = { seesStatements: false },
): Promise<PausableApp> {
  let next: Pause | undefined;
  const pauseIf = async (isThere: (point: PausePoint, pause: Pause) => boolean) => {
    if (next === undefined || !isThere(next.point, next)) return;
    next.reached.resolve();
    await next.released.promise;
  };
  const app = await buildTestedApp({
    ...service,
    database: pausingDatabase(service.database, pauseIf, options),
    passwords: pausingHasher(service.passwords, pauseIf),
  });
  const begin = (point: PausePoint): Pause => {
    next?.released.resolve();
    next = {
      point,
      transactions: 0,
      reached: Promise.withResolvers<void>(),
      released: Promise.withResolvers<void>(),
    };
    return next;
  };
  return {
    pauseAt: (point) => {
      const { reached, released } = begin(point);
      return { app, reached: reached.promise, release: released.resolve };
    },
    countTransactions: async (send) => {
      const unpaused = begin({ transaction: Number.POSITIVE_INFINITY });
      const answer = await send(app);
      return { answer, transactions: unpaused.transactions };
    },
    close: async () => {
      next?.released.resolve();
      await app.close();
    },
  };
}

type PauseIf = (isThere: (point: PausePoint, pause: Pause) => boolean) => Promise<void>;

function pausingDatabase(
  database: Database,
  pauseIf: PauseIf,
  { seesStatements }: { seesStatements: boolean },
): Database {
  const pauseBeforeTransaction = () =>
    pauseIf((point, pause) => {
      pause.transactions += 1;
      return 'transaction' in point && pause.transactions === point.transaction;
    });
  const transaction: Database['transaction'] = async (fn, opening) => {
    await pauseBeforeTransaction();
    return database.transaction(fn, opening);
  };
  const query: Database['query'] = async (text, values) => {
    if (text.includes('identity.resolve_caller')) await pauseBeforeTransaction();
    return database.query(text, values);
  };
  const pausing = { ...database, query, transaction };
  if (!seesStatements) return pausing;
  return failingDatabase(pausing, async (statement) => {
    await pauseIf((point) => 'statement' in point && statement.includes(point.statement));
    return null;
  });
}

function pausingHasher({ hash, verify }: PasswordHasher, pauseIf: PauseIf): PasswordHasher {
  const thenPause = async <T>(result: Promise<T>, step: 'verify' | 'hash'): Promise<T> => {
    const done = await result;
    await pauseIf((point) => 'password' in point && point.password === step);
    return done;
  };
  return {
    hash: (password) => thenPause(hash(password), 'hash'),
    verify: (known, password) => thenPause(verify(known, password), 'verify'),
  };
}

/** Sends a request, and returns its answer to come once the request is paused. */
async function sendUntilPause<T>(
  paused: PausedApp,
  send: (paused: PausedApp) => PromiseLike<T>,
): Promise<{ answer: Promise<T> }> {
  // `inject` sends a request only when it is awaited, so it is turned into a promise at once.
  const answer = Promise.resolve(send(paused));
  const isPaused = await Promise.race([paused.reached.then(() => true), answer.then(() => false)]);
  assert.ok(isPaused, 'the request was answered before it paused');
  return { answer };
}

/** Sends a request, runs `happen` while it is paused, and lets it continue. */
export async function duringPause<T>(
  paused: PausedApp,
  send: (paused: PausedApp) => PromiseLike<T>,
  happen: () => Promise<unknown>,
): Promise<T> {
  const { answer } = await sendUntilPause(paused, send);
  await happen();
  paused.release();
  return answer;
}

type Send<T> = (to: Pick<TestApp, 'app'>) => PromiseLike<T>;

/**
 * Pauses the first request within its transaction, at the statement that contains this text, and sends the second, which
 * then waits for the first or ends. The embedded database has one connection, which the first request uses: there the
 * second always waits, and no query could find that out.
 */
export async function overlap<First, Second>(
  t: Test,
  service: Dependencies & Pick<TestApp, 'app'>,
  statement: string,
  first: Send<First>,
  second: Send<Second>,
): Promise<[First, Second]> {
  const paused = await openPausedApp(t, service, { statement });
  const { answer } = await sendUntilPause(paused, first);
  const other = Promise.resolve(second(service));
  await waitUntilBlockedOrDone(service, other);
  paused.release();
  return Promise.all([answer, other]);
}

/**
 * Resolves when a request waits for a lock of a paused transaction, or has ended; at once on the embedded database, where
 * it always waits.
 */
export async function waitUntilBlockedOrDone(
  service: Pick<TestApp, 'database'>,
  request: Promise<unknown>,
): Promise<void> {
  if (service.database.backend === 'pglite') return;
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  request.then(end, end);
  while (!isDone && !(await isAnyoneWaiting(service))) continue;
}

/** Whether a statement waits for a row of identity that a paused transaction has locked, in this database. */
async function isAnyoneWaiting({ database }: Pick<TestApp, 'database'>): Promise<boolean> {
  const rows = await database.query(
    `select from pg_stat_activity waiting
       join pg_stat_activity paused
         on paused.pid = any (pg_blocking_pids(waiting.pid)) and paused.state = 'idle in transaction'
      where waiting.datname = current_database() and waiting.wait_event_type = 'Lock'
        and strpos(waiting.query, 'identity.') > 0`,
  );
  return rows.length > 0;
}
