import { execFileSync } from 'node:child_process';
import { createEmptyDatabase, ownDatabases } from '../needs/own-database.ts';
import { ROOT } from '../root.ts';

const NAME = 'test';

function control(command: 'start' | 'stop'): string {
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  return execFileSync('.ci/postgres', [command, NAME], options).trim(); // what it reports goes to standard error
}

/** A database on PostgreSQL for one run. */
export interface RunDatabase {
  url: string;
  /** Removes it, and the server unless it is given. */
  remove(): Promise<void>;
  /** How to find it if it is not removed. */
  place: string;
}

/** The server of the tests: the given one, or one that is started, or that a failed run has kept. */
export const startServer = (given: string | undefined): string => given ?? control('start');

/**
 * Makes a database for this run: migrations change while people work on them, and a second run starts clean. It is on
 * the server that MEMORY_TEST_DATABASE_URL names, or on one that is started, or that a failed run has kept.
 */
export async function openRunDatabase(given: string | undefined): Promise<RunDatabase> {
  const server = startServer(given);
  const own = await createEmptyDatabase(server);
  return {
    url: own.url,
    remove: async () => {
      await own.drop();
      // Another run, or kept evidence, can be on the same server.
      if (given === undefined && (await ownDatabases(server)).length === 0) control('stop');
    },
    place:
      given === undefined
        ? `database ${own.name} at "$(.ci/postgres start ${NAME})"; .ci/postgres stop ${NAME} removes both`
        : `database ${own.name} on the server of MEMORY_TEST_DATABASE_URL`,
  };
}
