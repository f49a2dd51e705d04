import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
// Declares that a test file with these servers needs databases of its own.
import '../../support/needs/own-database.ts';
import { childrenOf, signalAll } from '../../support/process-table.ts';
import { freePort, makeFolder, runInside, type Server, startInside, waitFor } from './debian.ts';

/*
 * PostgreSQL 17 with pgvector, with what a replica and a failover need: WAL for replication, slots, and `pg_rewind`.
 */

/** The superuser of the servers, and the role of the service, which is not a superuser. Both have the same password. */
export const SUPERUSER = 'admin';
export const SERVICE_USER = 'memory';
export const PASSWORD = 'password-of-the-tests';

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  readonly port: number;
  /** The folder of its data, on this machine and as the server sees it. */
  readonly folder: { readonly path: string; readonly inside: string };
  /** The address of a database, for the role of the service or another. */
  url(database: string, user?: string): string;
  /** Runs a statement as the superuser. */
  query(statement: string, database?: string): Promise<Record<string, unknown>[]>;
  /** The process that runs now. */
  server(): Server;
  /** Starts it, or starts it again with the same data. */
  start(): Promise<void>;
  /** Ends it as a crash does, with all its connections. */
  crash(): Promise<void>;
  /** Makes an empty database with pgvector, which the role of the service owns. */
  createDatabase(name: string): Promise<void>;
}

/** Where a server of these tests answers: `127.0.0.1` with this port. */
export const urlOf = (port: number, database: string, user: string = SERVICE_USER): string =>
  `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`;

/** Runs a statement over a connection of its own. */
async function queryOnce(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The server whose files are in a folder already. */
export async function serverIn(
  folder: PostgresServer['folder'],
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const port = await freePort();
  const options = Object.entries({ port: String(port), ...settings });
  const lines = options.map(([name, value]) => `${name} = '${value}'`);
  await appendFile(join(folder.path, 'data/postgresql.auto.conf'), `${lines.join('\n')}\n`);
  const url = (database: string, user?: string) => urlOf(port, database, user);
  const query = (statement: string, database = 'postgres') => queryOnce(url(database, SUPERUSER), statement);
  let running: Server;
  return {
    port,
    folder,
    url,
    query,
    server: () => running,
    start: async () => {
      running = startInside('postgres', ['-D', `${folder.inside}/data`]);
      await waitFor(async () => (await query('select 1')).length === 1, running);
    },
    crash: () => running.signal('SIGQUIT', true),
    createDatabase: async (name) => {
      await query(`create database ${name} owner ${SERVICE_USER}`);
      await query('create extension vector schema public', name);
    },
  };
}

/** Sends a signal to the main process of a server and to its children, for example to make it hang. */
export function signalServer(server: Pick<PostgresServer, 'server'>, signal: NodeJS.Signals): void {
  const { pid } = server.server();
  signalAll([pid, ...childrenOf(pid)], signal);
}

/**
 * Starts an empty server.
 * @param settings of `postgresql.conf`, beyond what a small machine needs
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const folder = await makeFolder('postgres');
  await writeFile(join(folder.path, 'password'), PASSWORD, { mode: 0o644 });
  const options = `-D ${folder.inside}/data -U ${SUPERUSER} -A scram-sha-256 -E UTF8 --pwfile=${folder.inside}/password`;
  await runInside('initdb', `${options} --no-sync --no-instructions`.split(' '));
  const server = await serverIn(folder, {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '64MB',
    max_wal_size: '256MB',
    wal_log_hints: 'on',
    wal_keep_size: '128MB',
    max_wal_senders: '5',
    ...settings,
  });
  await server.start();
  await server.query(`create role ${SERVICE_USER} login createrole createdb password '${PASSWORD}'`);
  return server;
}
