import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBouncer } from '../../test/cluster/servers/pgbouncer.ts';
import { startDatabaseServer, startPooler, startService } from './deployment.ts';
import { type Fault, type Measured, measureUnderLoad } from './measure.ts';

const GONE_MS = 5000;
/** Without a fault: so long is the load. */
const LOAD_MS = 10_000;

async function measurePooler(
  fault: (pooler: PgBouncer) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const server = await startDatabaseServer();
  const pooler = await startPooler(server.port, settings);
  const { url } = await startService(server, { urlOf: (database) => pooler.url(database) });
  return measureUnderLoad({ url, fault: () => fault(pooler) });
}

/** Ends PgBouncer, and starts it again after some time. */
const restarted = (signal: 'SIGINT' | 'SIGKILL', goneMs = 0) =>
  measurePooler(async (pooler) => {
    await pooler.server().signal(signal, true);
    await sleep(goneMs);
    await pooler.start();
  });

export const poolerFaults: readonly Fault[] = [
  {
    name: 'pooler-restart',
    title: 'PgBouncer restarted, as systemd does (SIGINT)',
    measure: () => restarted('SIGINT'),
  },
  {
    name: 'pooler-kill',
    title: 'PgBouncer `kill -9`, started again',
    measure: () => restarted('SIGKILL'),
  },
  {
    name: 'pooler-gone',
    title: 'PgBouncer gone for 5 s',
    measure: () => restarted('SIGKILL', GONE_MS),
  },
  {
    name: 'pool-of-one',
    title: 'PgBouncer with a pool of one, no fault',
    measure: () => measurePooler(() => sleep(LOAD_MS), { default_pool_size: '1' }),
  },
];
