import type pg from 'pg';
import type { Database, Queryable, Statement } from '../../db/driver/database.ts';
import { buildTestApp } from '../../test/support/app.ts';

/** Runs a statement as one would by hand. Bytes that come from the driver of the service, or another process, are those of a Buffer. */
export function runStatement(client: pg.Client, { text, values = [] }: Statement): Promise<unknown> {
  return client.query(
    text,
    values.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    ),
  );
}

/** A database that notes every statement, `begin` and `commit` among them. */
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
      note({ text: 'begin' });
      if (opening !== undefined) note(opening);
      const result = await database.transaction((tx) => fn(noted(tx)), opening);
      note({ text: 'commit' });
      return result;
    },
    // Closing the app must not close the database, which is the caller's.
    close: async () => undefined,
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
  let heard: Statement[] = [];
  const service = await buildTestApp(
    noting(database, (statement) => heard.push(statement)),
    url,
  );
  const search = async (payload: object) => {
    const answer = await service.app.inject({ method: 'POST', url: '/v1/memory/search', headers, payload });
    if (answer.statusCode !== 200) throw new Error(`search: ${answer.statusCode} ${answer.body}`);
  };
  try {
    // Once before: a session is marked as seen by its first request, and not by every one.
    await search(bodies[0] ?? {});
    const recorded: Statement[][] = [];
    for (const body of bodies) {
      heard = [];
      await search(body);
      recorded.push(heard);
    }
    return recorded;
  } finally {
    await service.close();
  }
}
