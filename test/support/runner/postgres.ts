import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { createLogger } from '../../../shared/logger.ts';
import {
  copyDatabase,
  createEmptyDatabase,
  ownDatabases,
  type ServerDatabase,
} from '../needs/own-database.ts';
import { ROOT } from '../root.ts';
import { prepareWithQueues } from './snapshot.ts';

const NAME = 'test';

/** @throws an error whose `stderr` is what the command reported */
async function control(command: 'start' | 'stop'): Promise<string> {
  const running = promisify(execFile)('.ci/postgres', [command, NAME], { cwd: ROOT });
  running.child.stderr?.pipe(process.stderr); // the first start takes a minute or two
  return (await running).stdout.trim();
}

/** A database on PostgreSQL for one run. */
export interface RunDatabase {
  /** Tells the tests where it is, and from which prepared database they can copy one of their own. */
  env: Record<string, string>;
  /**
   * Removes it, and the server unless it is given. If it is to be kept, removes only the database that is copied.
   */
  close(options: { keep: boolean }): Promise<void>;
  /** How to find it if it is kept. */
  place: string;
}

/** A prepared database, which nobody is connected to: only such a one can be copied. */
async function createTemplate(server: string): Promise<ServerDatabase> {
  const template = await createEmptyDatabase(server);
  const database = openPostgres(template.url, createLogger('fatal', 'test'));
  await prepareWithQueues(database, template.url);
  await database.close();
  return template;
}

/** The server of the tests: the given one, or one that is started, or that a failed run has kept. */
export const startServer = async (given: string | undefined): Promise<string> =>
  given ?? (await control('start'));

/** Stops the server of the tests, unless another run or kept evidence is on it. */
export async function stopUnusedServer(server: string): Promise<void> {
  if ((await ownDatabases(server)).length === 0) await control('stop');
}

/**
 * Makes a database for this run: migrations change while people work on them, and a second run starts clean. It is on
 * the server that MEMORY_TEST_DATABASE_URL names, or on one that is started, or that a failed run has kept.
 */
export async function openRunDatabase(given: string | undefined): Promise<RunDatabase> {
  const server = await startServer(given);
  const template = await createTemplate(server);
  const own = await copyDatabase(server, template.name);
  return {
    env: { MEMORY_TEST_DATABASE_URL: own.url, MEMORY_TEST_TEMPLATE: template.name },
    close: async ({ keep }) => {
      await template.drop();
      if (keep) return;
      await own.drop();
      if (given === undefined) await stopUnusedServer(server);
    },
    place:
      given === undefined
        ? `database ${own.name} at "$(.ci/postgres start ${NAME})"; .ci/postgres stop ${NAME} removes both`
        : `database ${own.name} on the server of MEMORY_TEST_DATABASE_URL`,
  };
}
