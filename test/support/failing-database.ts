import { type App } from '../../api/app.ts';
import { databaseBlobs } from '../../db/blobs.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { createLogger } from '../../shared/logger.ts';
import { createPasswordHasher } from '../../shared/passwords.ts';
import type { TestApp } from './app.ts';
import { buildTestedApp } from './schema-compilers.ts';

/** Whether a statement fails, and how. It waits for a promise, so that a test can hold a request half-way. */
export type Failure = (statement: string) => Error | null | Promise<Error | null>;

/** A database that fails the statements that a test chooses, and does all others. */
export function failingDatabase(database: Database, failure: Failure): Database {
  const guarded = (inner: Queryable): Queryable => ({
    ...inner,
    query: async (text, values) => {
      const error = await failure(text);
      if (error !== null) throw error;
      return inner.query(text, values);
    },
  });
  return {
    ...database,
    query: guarded(database).query,
    transaction: (fn) => database.transaction((tx) => fn(guarded(tx))),
  };
}

/** A second app on the database of the first, through `failingDatabase`. Closed when the test is done. */
export async function openFailingApp(
  t: { after(fn: () => unknown): void },
  { database, queue, config }: TestApp,
  failure: Failure,
): Promise<App> {
  const app = await buildTestedApp({
    config,
    database: failingDatabase(database, failure),
    queue,
    logger: createLogger('silent', 'test'),
    passwords: createPasswordHasher(),
    blobs: databaseBlobs(database),
  });
  t.after(() => app.close());
  return app;
}

/** An error as a driver throws it: it knows more than a caller may. */
export function databaseError(code: string): Error {
  const error = new Error('relation "memory.secret" does not exist at /srv/memory/db/queries/search.ts:31');
  return Object.assign(error, { code, detail: 'Key (token)=(hunter2) is missing', query: 'select secret' });
}
