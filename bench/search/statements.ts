import type { Database, Queryable } from '../../db/driver/database.ts';
import { buildTestApp, type TestApp } from '../../test/support/app.ts';

/** One statement as it goes to the driver. */
export interface Statement {
  text: string;
  values: readonly unknown[];
}

/** A database that notes every statement while someone listens, `begin` and `commit` among them. */
function noting(database: Database, note: (statement: Statement) => void): Database {
  const noted = (to: Queryable): Queryable => ({
    ...to,
    query: (text, values = []) => {
      note({ text, values });
      return to.query(text, values);
    },
  });
  return {
    ...database,
    query: noted(database).query,
    transaction: async (fn, opening) => {
      note({ text: 'begin', values: [] });
      if (opening !== undefined) note({ values: [], ...opening });
      const result = await database.transaction((tx) => fn(noted(tx)), opening);
      note({ text: 'commit', values: [] });
      return result;
    },
  };
}

/**
 * The statements with which the service answers searches, as it sends them: each body is asked once.
 * @param url of the same database
 */
export async function recordSearches(
  database: Database,
  url: string,
  headers: Record<string, string>,
  bodies: readonly object[],
): Promise<Statement[][]> {
  let heard: Statement[] | null = null;
  const listened = noting(database, (statement) => heard?.push(statement));
  // Closing the app must not close the database, which is the caller's.
  const service = await buildTestApp({ ...listened, close: async () => undefined }, url);
  try {
    // Once before: a session is marked as seen by its first request, and not by every one.
    await search(service, headers, bodies[0] ?? {});
    const recorded: Statement[][] = [];
    for (const body of bodies) {
      const statements: Statement[] = [];
      heard = statements;
      await search(service, headers, body);
      heard = null;
      recorded.push(statements);
    }
    return recorded;
  } finally {
    await service.close();
  }
}

async function search({ app }: TestApp, headers: Record<string, string>, payload: object): Promise<void> {
  const answer = await app.inject({ method: 'POST', url: '/v1/memory/search', headers, payload });
  if (answer.statusCode !== 200) throw new Error(`search: ${answer.statusCode} ${answer.body}`);
}
