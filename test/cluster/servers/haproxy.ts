import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/root.ts';
import { freePort, makeFolder, runInside, type Server, startInside, waitFor } from './debian.ts';
import type { PostgresServer } from './postgres.ts';

/** HAProxy in front of servers of one kind. */
export interface Haproxy {
  /** Where it listens, on 127.0.0.1. */
  readonly port: number;
  readonly server: Server;
  /** Whether its checks say that the server with this port works. */
  isUp(port: number): Promise<boolean>;
}

export interface HaproxyOptions {
  mode?: 'http' | 'tcp';
  /** The ports of the servers, on 127.0.0.1. */
  ports: readonly number[];
  /** Lines of the backend: how it balances and checks. */
  backend: readonly string[];
  /** Lines of the section `global`. */
  global?: readonly string[];
}

/** Lets HAProxy check a primary and its replica as the role of the guide, which has no password. */
export async function allowChecks(primary: PostgresServer, replica: PostgresServer): Promise<void> {
  await primary.query('create role haproxy_check login');
  for (const server of [primary, replica]) {
    const line = 'host postgres haproxy_check 127.0.0.1/32 trust';
    await runInside('sed', ['-i', `1i ${line}`, `${server.folder.inside}/data/pg_hba.conf`]);
    await server.query('select pg_reload_conf()');
  }
}

/** Makes the script of the guide that checks a PostgreSQL server, which has seen no server yet. Gives its path for HAProxy. */
export async function makePrimaryCheck(): Promise<string> {
  const { path, inside } = await makeFolder('check');
  const script = await readFile(join(ROOT, 'docs/operations/deploy/check-primary.sh'), 'utf8');
  const placed = script.replace('/var/lib/haproxy-check', inside);
  await writeFile(join(path, 'check-primary.sh'), placed, { mode: 0o755 });
  return `${inside}/check-primary.sh`;
}

const TIMEOUTS = [
  'timeout connect 2s',
  'timeout client 60s',
  'timeout server 60s',
  'timeout http-keep-alive 60s',
];

/** Starts it, and waits until it has checked a server that works. */
export async function startHaproxy({
  mode = 'http',
  ports,
  backend,
  global = [],
}: HaproxyOptions): Promise<Haproxy> {
  const [port, statistics] = [await freePort(), await freePort()];
  const folder = await makeFolder('haproxy');
  const section = (head: string, ...lines: readonly string[]) => [head, ...lines.map((line) => `  ${line}`)];
  const config = [
    ...section('global', 'maxconn 1000', 'log stdout format raw local0 notice', ...global),
    ...section('defaults', `mode ${mode}`, 'log global', ...TIMEOUTS),
    ...section('frontend incoming', `bind 127.0.0.1:${port}`, 'default_backend servers'),
    ...section(
      'backend servers',
      ...backend,
      ...ports.map((each) => `server port-${each} 127.0.0.1:${each} check`),
    ),
    ...section(
      'listen statistics',
      'mode http',
      `bind 127.0.0.1:${statistics}`,
      'stats enable',
      'stats uri /',
    ),
  ];
  await writeFile(join(folder.path, 'haproxy.cfg'), `${config.join('\n')}\n`, { mode: 0o644 });
  const server = startInside('haproxy', ['-db', '-f', `${folder.inside}/haproxy.cfg`]);
  const isUp = async (of: number) => {
    const table = await (await fetch(`http://127.0.0.1:${statistics}/;csv`)).text();
    // Its name, its state and others, by comma. The state can end with the number of checks that it still needs.
    const row = table.split('\n').find((line) => line.startsWith(`servers,port-${of},`));
    return row?.split(',').includes('UP') === true;
  };
  await waitFor(async () => (await Promise.all(ports.map(isUp))).includes(true), server);
  return { port, server, isUp };
}
