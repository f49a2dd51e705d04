import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInside, waitFor } from '../../test/cluster/servers/debian.ts';
import { type Haproxy, startHaproxy } from '../../test/cluster/servers/haproxy.ts';
import { type PgBouncer, startPgBouncer } from '../../test/cluster/servers/pgbouncer.ts';
import {
  PASSWORD,
  type PostgresServer,
  SERVICE_USER,
  startPostgres,
} from '../../test/cluster/servers/postgres.ts';
import { type Replica, startReplica } from '../../test/cluster/servers/replica.ts';
import { type System, type SystemOptions, startSystem } from '../../test/faults/load/system.ts';
import { ROOT } from '../../test/support/root.ts';

/** How the service finds the primary. */
export type Reach = 'HAProxy' | 'PgBouncer' | 'a list of hosts';

const FILES = join(ROOT, 'docs/operations/deploy');

/** Starts a server on which each new database has pgvector. */
export async function startDatabaseServer(): Promise<PostgresServer> {
  const server = await startPostgres({ max_connections: '200' });
  await server.query('create extension vector schema public', 'template1');
  return server;
}

/** Starts APIs and workers on a new database of a server. */
export function startService(
  server: PostgresServer,
  options: Omit<SystemOptions, 'reach'> & { urlOf?: (database: string) => string },
): Promise<System> {
  const { urlOf, ...counts } = options;
  const context = {
    signal: new AbortController().signal,
    seed: 1,
    soakSeconds: 0,
    postgresUrl: () => Promise.resolve(server.url('postgres')),
    crashPostgres: null,
    // The database ends with its server.
    defer: () => undefined,
  };
  const reach = (url: string) => Promise.resolve(urlOf?.(new URL(url).pathname.slice(1)) ?? url);
  return startSystem(context, { ...counts, reach });
}

/** The settings of the documented pgbouncer.ini that differ from those of Debian. */
function documentedPoolerSettings(): Record<string, string> {
  const lines = readFileSync(join(FILES, 'pgbouncer.ini'), 'utf8').split('\n');
  const named = ['default_pool_size', 'max_client_conn', 'server_login_retry', 'server_connect_timeout'];
  return Object.fromEntries(
    lines.map((line) => line.split(' = ')).filter(([name = '']) => named.includes(name)),
  ) as Record<string, string>;
}

/** The lines of the documented haproxy.cfg that find the primary. */
function documentedChecks(): string[] {
  const lines = readFileSync(join(FILES, 'haproxy.cfg'), 'utf8').split('\n');
  const section = lines.slice(lines.indexOf('listen postgres') + 1);
  const kept = ['option', 'retries', 'tcp-check', 'default-server'];
  return section.map((line) => line.trim()).filter((line) => kept.includes(line.split(' ')[0] ?? ''));
}

async function startDatabaseProxy(servers: readonly PostgresServer[]): Promise<Haproxy> {
  const proxy = await startHaproxy({
    mode: 'tcp',
    ports: servers.map(({ port }) => port),
    backend: documentedChecks(),
  });
  const [primary] = servers;
  await waitFor(() => proxy.isUp(primary?.port ?? 0), proxy.server);
  return proxy;
}

/** Starts PgBouncer with the documented settings, or others. */
export const startPooler = (
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> =>
  startPgBouncer(`host=127.0.0.1 port=${port}`, { ...documentedPoolerSettings(), ...settings });

/** A primary with a replica, and the service that finds the primary. */
export interface ReplicatedService {
  readonly primary: PostgresServer;
  readonly replica: Replica;
  readonly system: System;
}

/** Starts a primary with a replica, what finds the primary, an API and a worker. */
export async function startReplicated(reach: Reach, isSynchronous: boolean): Promise<ReplicatedService> {
  const primary = await startDatabaseServer();
  await primary.query('create role haproxy_check login');
  const trust = '1i host postgres haproxy_check 127.0.0.1/32 trust';
  await runInside('sed', ['-i', trust, `${primary.folder.inside}/data/pg_hba.conf`]);
  await primary.query('select pg_reload_conf()');
  const replica = await startReplica(primary, { isSynchronous });
  let urlOf: (database: string) => string;
  if (reach === 'a list of hosts') {
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${replica.port}`;
    urlOf = (database) => `postgres://${SERVICE_USER}:${PASSWORD}@${hosts}/${database}`;
  } else {
    const { port } = await startDatabaseProxy([primary, replica]);
    const front = reach === 'PgBouncer' ? await startPooler(port) : { port };
    urlOf = (database) => primary.url(database).replace(`:${primary.port}/`, `:${front.port}/`);
  }
  return { primary, replica, system: await startService(primary, { urlOf }) };
}

/** Starts HAProxy in front of APIs. */
export async function startApiProxy(system: System, backend: readonly string[]): Promise<Haproxy> {
  const ports = system.urls.map((url) => Number(new URL(url).port));
  const proxy = await startHaproxy({
    ports,
    backend: [
      'balance roundrobin',
      'option httpchk GET /readyz',
      'default-server inter 500ms fall 2 rise 1',
      ...backend,
    ],
  });
  for (const port of ports) await waitFor(() => proxy.isUp(port), proxy.server);
  return proxy;
}
