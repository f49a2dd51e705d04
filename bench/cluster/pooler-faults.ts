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

const POOLER_FAULTS: readonly (readonly [name: string, title: string, () => Promise<Measured>])[] = [
  [
    'pooler-restart',
    'PgBouncer restarted, as systemd does (SIGINT)',
    () =>
      measurePooler(async (pooler) => {
        await pooler.server().signal('SIGINT', true);
        await pooler.start();
      }),
  ],
  [
    'pooler-kill',
    'PgBouncer `kill -9`, started again',
    () =>
      measurePooler(async (pooler) => {
        await pooler.server().signal('SIGKILL', true);
        await pooler.start();
      }),
  ],
  [
    'pooler-gone',
    'PgBouncer gone for 5 s',
    () =>
      measurePooler(async (pooler) => {
        await pooler.server().signal('SIGKILL', true);
        await sleep(GONE_MS);
        await pooler.start();
      }),
  ],
  [
    'pool-of-one',
    'PgBouncer with a pool of one, no fault',
    () => measurePooler(() => sleep(LOAD_MS), { default_pool_size: '1' }),
  ],
];

export const poolerFaults: readonly Fault[] = POOLER_FAULTS.map(([name, title, measure]) => ({
  name,
  title,
  measure,
}));
