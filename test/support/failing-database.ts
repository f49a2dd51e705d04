import type { App } from '../../api/types.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import type { Database, Queryable } from '../../db/driver/database.ts';
import { buildTestedApp } from './schema-compilers.ts';

/** Whether a statement fails, and how. It waits for a promise, so that a test can hold a request half-way. */
export type Failure = (statement: string) => Error | null | Promise<Error | null>;

/** A database that fails the statements that a test chooses, and does all others, in a transaction in their order. */
export function failingDatabase(database: Database, failure: Failure): Database {
  const ask = async <R extends object>(inner: Queryable, text: string, values: readonly unknown[] = []) => {
    const error = await failure(text);
    if (error !== null) throw error;
    return inner.query<R>(text, values);
  };
  return {
    ...database,
    query: (text, values) => ask(database, text, values),
    transaction: async (fn, opening) => {
      const error = opening === undefined ? null : await failure(opening.text);
      if (error !== null) throw error;
      return database.transaction(async (tx) => {
        // The last of them may be held, or fail, and nobody wait for it: the end does.
        let asked: Promise<unknown> = Promise.resolve();
        const query: Queryable['query'] = (text, values) => {
          const answer = asked.then(() => ask(tx, text, values));
          asked = answer;
          asked.catch(() => undefined);
          return answer as never;
        };
        const result = await fn({ ...tx, query }).catch(async (error: unknown) => {
          await asked.catch(() => undefined);
          throw error;
        });
        await asked;
        return result;
      }, opening);
    },
  };
}

/** A second app on the database of the first, through `failingDatabase`. Closed when the test is done. */
export async function openFailingApp(
  t: { after(fn: () => unknown): void },
  service: Dependencies,
  failure: Failure,
): Promise<App> {
  const app = await buildTestedApp({ ...service, database: failingDatabase(service.database, failure) });
  t.after(() => app.close());
  return app;
}

/** An error as a driver throws it: it knows more than a caller may. */
export function databaseError(code: string): Error {
  const error = new Error('relation "memory.secret" does not exist at /srv/memory/db/queries/search.ts:31');
  return Object.assign(error, { code, detail: 'Key (token)=(hunter2) is missing', query: 'select secret' });
}
