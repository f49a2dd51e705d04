import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { debian, freePort, listens, makeFolder, type Server, startInside, waitFor } from './debian.ts';
import { PASSWORD, SERVICE_USER, SUPERUSER, urlOf } from './postgres.ts';

/*
 * PgBouncer 1.24 with the settings that Debian packages, in transaction mode.
 */

/** A running PgBouncer. */
export interface PgBouncer {
  readonly port: number;
  /** The address of a database through it. */
  url(database: string, user?: string): string;
  /** Runs a command of its console, such as `show servers`. */
  console(command: string): Promise<Record<string, unknown>[]>;
  /** The process that runs now. */
  server(): Server;
  /** Starts it again on the same port, after it was killed. */
  start(): Promise<void>;
}

/** Puts a setting into the packaged file, in place of the line that sets it or is its comment. */
function withSetting(file: string, name: string, value: string): string {
  const lines = file.split('\n');
  const own = lines.findIndex((line) => line.startsWith(`${name} =`));
  const at = own === -1 ? lines.findIndex((line) => line.startsWith(`;${name} =`)) : own;
  if (at === -1) throw new Error(`pgbouncer.ini of Debian does not name ${name}`);
  return lines.with(at, `${name} = ${value}`).join('\n');
}

/**
 * Starts PgBouncer in front of a server, as packaged: only what names its own files, ports and servers is changed, and
 * the mode.
 * @param target the host and port of the server, as PgBouncer writes them
 * @param settings of `pgbouncer.ini`, such as `server_login_retry`
 */
export async function startPgBouncer(
  target: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  const { path, inside } = await makeFolder('pgbouncer');
  const port = await freePort();
  const users = [SERVICE_USER, SUPERUSER].map((user) => `"${user}" "${PASSWORD}"\n`);
  await writeFile(join(path, 'userlist.txt'), users.join(''));
  const packaged = await readFile(join(debian(), 'etc/pgbouncer/pgbouncer.ini'), 'utf8');
  const changed = Object.entries({
    logfile: '',
    pidfile: `${inside}/pgbouncer.pid`,
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_file: `${inside}/userlist.txt`,
    admin_users: SUPERUSER,
    pool_mode: 'transaction',
    ...settings,
  });
  const file = changed.reduce((text, [name, value]) => withSetting(text, name, value), packaged);
  await writeFile(join(path, 'pgbouncer.ini'), file.replace('[databases]', `[databases]\n* = ${target}`));
  for (const name of ['userlist.txt', 'pgbouncer.ini']) await chmod(join(path, name), 0o644);
  let running: Server;
  const start = async () => {
    running = startInside('pgbouncer', [`${inside}/pgbouncer.ini`]);
    await waitFor(() => listens(port), running);
  };
  await start();
  return {
    port,
    url: (database, user) => urlOf(port, database, user),
    console: async (command) => {
      const client = new pg.Client({ connectionString: urlOf(port, 'pgbouncer', SUPERUSER) });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(command)).rows;
      } finally {
        await client.end();
      }
    },
    server: () => running,
    start,
  };
}
