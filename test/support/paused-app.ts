import assert from 'node:assert/strict';
import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import { databaseBlobs } from '../../db/queries/workspace/blobs.ts';
import { createLogger } from '../../shared/logger.ts';
import type { TestApp } from './app.ts';
import { failingDatabase } from './failing-database.ts';
import { createCheapHasher } from './passwords.ts';
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
 * - before its nth transaction. The first one resolves the caller. The second one does what was asked, unless the
 *   request looks something up before it writes: then that is the third.
 * - after it verified or hashed a password, and before the transaction that follows.
 * - within a transaction, before a statement that contains this text.
 */
export type PausePoint = { transaction: number } | { password: 'verify' | 'hash' } | { statement: string };

type Test = { after(fn: () => unknown): void };
type Service = Pick<TestApp, 'database' | 'queue' | 'config'>;

/** A second app on the database of the first, which pauses its requests. Closed when the test is done. */
export async function openPausedApp(
  t: Test,
  { database, queue, config }: Service,
  point: PausePoint = { transaction: 2 },
): Promise<PausedApp> {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pause = () => {
    reached.resolve();
    return released.promise;
  };
  const deps: Dependencies = {
    config,
    database,
    queue,
    logger: createLogger('silent', 'test'),
    passwords: createCheapHasher(),
    blobs: databaseBlobs(database),
  };
  const app = await buildTestedApp({ ...deps, ...pausing(deps, point, pause) });
  t.after(async () => {
    released.resolve();
    await app.close();
  });
  return { app, reached: reached.promise, release: released.resolve };
}

/** The dependency that pauses. */
function pausing(
  { database, passwords }: Dependencies,
  point: PausePoint,
  pause: () => Promise<void>,
): Partial<Dependencies> {
  if ('transaction' in point) {
    let transactions = 0;
    const transaction: typeof database.transaction = async (fn, opening) => {
      transactions += 1;
      if (transactions === point.transaction) await pause();
      return database.transaction(fn, opening);
    };
    return { database: { ...database, transaction } };
  }
  if ('statement' in point) {
    const pauseAt = async (statement: string) => {
      if (statement.includes(point.statement)) await pause();
      return null;
    };
    return { database: failingDatabase(database, pauseAt) };
  }
  const { hash, verify } = passwords;
  const thenPause = async <T>(result: Promise<T>): Promise<T> => {
    const done = await result;
    await pause();
    return done;
  };
  return {
    passwords:
      point.password === 'hash'
        ? { verify, hash: (password) => thenPause(hash(password)) }
        : { hash, verify: (known, password) => thenPause(verify(known, password)) },
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
  service: Service & Pick<TestApp, 'app'>,
  statement: string,
  first: Send<First>,
  second: Send<Second>,
): Promise<[First, Second]> {
  const paused = await openPausedApp(t, service, { statement });
  const { answer } = await sendUntilPause(paused, first);
  let isDone = false;
  const other = Promise.resolve(second(service)).finally(() => {
    isDone = true;
  });
  if (service.database.backend !== 'pglite') {
    while (!isDone && !(await isAnyoneWaiting(service))) continue;
  }
  paused.release();
  return Promise.all([answer, other]);
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
