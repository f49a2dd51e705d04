import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, SERVICE_USER, signalServer } from '../../test/cluster/servers/postgres.ts';
import { get } from '../../test/faults/load/client.ts';
import { type Reach, type ReplicatedService, startReplicated } from './deployment.ts';
import { type Fault, type Measured, measureUnderLoad } from './measure.ts';

const REACHES: readonly Reach[] = ['HAProxy', 'PgBouncer', 'a list of hosts'];
const LAG_MS = 1500;
const STANDBY_GONE_MS = 20_000;
/** How long a proxy can take to notice that a server is back. */
const NOTICED_MS = 3000;
/** How long both servers take writes after that. */
const TWO_PRIMARIES_MS = 5000;

async function measurePromotion({
  reach,
  isSynchronous,
  lagMs = 0,
}: {
  reach: Reach;
  isSynchronous: boolean;
  lagMs?: number;
}): Promise<Measured> {
  const { primary, replica, system } = await startReplicated(reach, isSynchronous);
  const fault = async () => {
    if (lagMs > 0) {
      // The replica gets nothing from here on.
      await replica.query(`alter system set primary_conninfo = ''`);
      await replica.query('select pg_reload_conf()');
      await sleep(lagMs);
    }
    await primary.crash();
    await replica.promote();
  };
  return measureUnderLoad({ url: system.url, fault });
}

async function measureHang(reach: Reach): Promise<Measured> {
  const { primary, replica, system } = await startReplicated(reach, true);
  try {
    return await measureUnderLoad({
      url: system.url,
      fault: async () => {
        signalServer(primary, 'SIGSTOP');
        await replica.promote();
      },
    });
  } finally {
    signalServer(primary, 'SIGKILL');
  }
}

async function measureStandbyGone(): Promise<Measured> {
  const { replica, system } = await startReplicated('HAProxy', true);
  const reads = { '/readyz': [] as number[], '/v1/memory/sources': [] as number[] };
  const fault = async () => {
    await replica.crash();
    const until = performance.now() + STANDBY_GONE_MS;
    while (performance.now() < until) {
      for (const path of ['/readyz', '/v1/memory/sources'] as const) {
        reads[path].push((await get(system.url, path)).status);
      }
      await sleep(500);
    }
    await replica.start();
  };
  const settle = () => {
    const failed = Object.entries(reads).map(
      ([path, all]) =>
        `\`${path}\` failed ${all.filter((status) => status !== 200).length} of ${all.length} times`,
    );
    return Promise.resolve(`while it was gone, ${failed.join(', ')}`);
  };
  return measureUnderLoad({ url: system.url, fault, settle });
}

/** Looks for texts of the load that only the old primary has. */
async function countOnlyOn({ primary, replica, system }: ReplicatedService): Promise<number> {
  const database = new URL(system.databaseUrl).pathname.slice(1);
  const titles = async (server: PostgresServer) =>
    (await server.query('select title from memory.source', database)).map(({ title }) => String(title));
  const kept = new Set(await titles(replica));
  return (await titles(primary)).filter((title) => !kept.has(title)).length;
}

async function measureReturn(reach: Reach): Promise<Measured> {
  // Synchronous, so that nothing is lost by the promotion itself.
  const service = await startReplicated(reach, true);
  const { primary, replica, system } = service;
  return measureUnderLoad({
    url: system.url,
    fault: async () => {
      await primary.crash();
      await replica.promote();
    },
    after: async () => {
      // It acknowledges by itself what it is sent.
      const settings = join(primary.folder.path, 'data/postgresql.auto.conf');
      await appendFile(settings, `synchronous_standby_names = ''\n`);
      await primary.start();
      await sleep(NOTICED_MS);
      // All connections are opened again, so that some of them can lead to the old primary.
      await replica.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${SERVICE_USER}'`,
      );
      await sleep(TWO_PRIMARIES_MS);
    },
    settle: async () => {
      const strays = await countOnlyOn(service);
      // What was acknowledged is looked for on the promoted server only.
      await primary.crash();
      return `${strays} sources only on the old primary`;
    },
  });
}

const promotions = (isSynchronous: boolean): Fault[] =>
  REACHES.map((reach, index) => ({
    name: `promotion-${isSynchronous ? 'sync' : 'async'}-${index + 1}`,
    title: `primary killed, ${isSynchronous ? 'synchronous' : 'asynchronous'} replica promoted, by ${reach}`,
    isFailover: true,
    // The last commits can be on their way.
    canLose: !isSynchronous,
    measure: () => measurePromotion({ reach, isSynchronous }),
  }));

export const primaryFaults: readonly Fault[] = [
  ...promotions(false),
  {
    name: 'promotion-late',
    title: 'the same by a list of hosts, the replica 1.5 s behind',
    isFailover: true,
    canLose: true,
    measure: () => measurePromotion({ reach: 'a list of hosts', isSynchronous: false, lagMs: LAG_MS }),
  },
  ...promotions(true),
  ...REACHES.map((reach, index) => ({
    name: `hang-${index + 1}`,
    title: `primary hangs (SIGSTOP), synchronous replica promoted, by ${reach}`,
    isFailover: true,
    measure: () => measureHang(reach),
  })),
  {
    name: 'standby-gone',
    title: 'synchronous replica gone for 20 s',
    measure: measureStandbyGone,
  },
  ...REACHES.map((reach, index) => ({
    name: `return-${index + 1}`,
    title: `the old primary comes back as a primary, and connections are opened again, by ${reach}`,
    isFailover: true,
    measure: () => measureReturn(reach),
  })),
];
