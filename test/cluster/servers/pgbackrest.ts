import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, runInside, waitFor } from './debian.ts';
import { PASSWORD, type PostgresServer, SUPERUSER } from './postgres.ts';

/** The backups of a server by pgBackRest 2.55, with its log of changes. */
export interface Backups {
  /** Makes a full backup. */
  full(): Promise<void>;
  /** Replaces the data of the server, which is stopped, by what it was at this time, and starts it as a primary. */
  restoreTo(time: string): Promise<void>;
}

/** Restarts a server so that it archives its log, and makes a place for its backups. */
export async function openBackups(server: PostgresServer): Promise<Backups> {
  const { path, inside } = await makeFolder('pgbackrest');
  const config = [
    '[global]',
    `repo1-path=${inside}/repository`,
    `lock-path=${inside}/lock`,
    `log-path=${inside}`,
    'start-fast=y',
    '[memory]',
    `pg1-path=${server.folder.inside}/data`,
    `pg1-port=${server.port}`,
    `pg1-user=${SUPERUSER}`,
    `pg1-socket-path=${server.folder.inside}`,
  ];
  await writeFile(join(path, 'pgbackrest.conf'), `${config.join('\n')}\n`, { mode: 0o644 });
  const options = [`--config=${inside}/pgbackrest.conf`, '--stanza=memory'];
  const run = (...args: readonly string[]) =>
    runInside('pgbackrest', [...options, ...args], { PGPASSWORD: PASSWORD });

  const settings = {
    // pgBackRest connects by the socket only.
    unix_socket_directories: server.folder.inside,
    archive_mode: 'on',
    archive_command: `pgbackrest ${options.join(' ')} archive-push %p`,
  };
  for (const [name, value] of Object.entries(settings)) {
    await server.query(`alter system set ${name} = '${value}'`);
  }
  await server.server().signal('SIGINT', true);
  await server.start();
  await run('stanza-create');
  await run('check');
  return {
    full: async () => {
      await run('--type=full', 'backup');
    },
    restoreTo: async (time) => {
      await run('--delta', '--type=time', `--target=${time}`, '--target-action=promote', 'restore');
      await server.start();
      await waitFor(async () => {
        const [state] = await server.query('select pg_is_in_recovery() as recovers');
        return state?.['recovers'] === false;
      }, server.server());
    },
  };
}
