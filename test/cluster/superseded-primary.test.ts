import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endProcesses, type ServiceProcess } from '../support/needs/process.ts';
import { importText, type RunningApi, startApi, startWorker } from './processes.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { allowChecks, makePrimaryCheck, startHaproxy } from './servers/haproxy.ts';
import { PASSWORD, type PostgresServer, SERVICE_USER, startPostgres } from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

after(endServers);
after(endProcesses);

/** How often each kind of process is started by each address, and how many of them at once. */
const STARTS = 20;
const AT_ONCE = 4;

/** A check that a replica fails and that both primaries pass: `select pg_is_in_recovery()` returns false. */
const IS_PRIMARY = [
  'balance roundrobin',
  'option tcp-check',
  'tcp-check connect',
  'tcp-check send-binary 0000002e000300007573657200686170726f78795f636865636b00646174616261736500706f7374677265730000',
  'tcp-check send-binary 510000001f73656c6563742070675f69735f696e5f7265636f76657279282900',
  'tcp-check expect binary 440000000b00010000000166',
  // A busy machine answers late, and a server that is only slow must stay.
  'timeout check 30s',
  'default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
];

describe('a primary that was replaced and is back beside the new one', () => {
  let old: PostgresServer;
  let promoted: Replica;
  /** By how the servers are reached. */
  const addresses = new Map<string, string>();
  const apis = new Map<string, RunningApi>();
  const workers = new Map<string, ServiceProcess>();
  const WAYS = ['a list, the old one first', 'a list, the old one last', 'HAProxy that takes turns'];
  /** The titles of all acknowledged writes. */
  const acknowledged: string[] = [];
  const { signal } = new AbortController();

  const env = (way: string) => ({
    MEMORY_DATABASE_URL: addresses.get(way) ?? '',
    MEMORY_DATABASE_POOL: '4',
  });

  before(async () => {
    old = await startPostgres();
    await old.createDatabase('service');
    promoted = await startReplica(old);
    await allowChecks(old, promoted);
    const ports = [old.port, promoted.port];
    const haproxy = await startHaproxy({ mode: 'tcp', ports, backend: IS_PRIMARY });
    await waitFor(async () => !(await haproxy.isUp(promoted.port)), haproxy.server);
    const places = [ports, ports.toReversed(), [haproxy.port]];
    for (const [index, way] of WAYS.entries()) {
      const hosts = places[index]?.map((port) => `127.0.0.1:${port}`).join();
      addresses.set(way, `postgres://${SERVICE_USER}:${PASSWORD}@${hosts}/service`);
      apis.set(way, await startApi(env(way), signal));
      workers.set(way, await startWorker(env(way)));
    }
    await old.crash();
    await promoted.promote();
    await waitFor(() => haproxy.isUp(promoted.port), haproxy.server);
    for (const api of apis.values()) await waitFor(async () => (await write(api)) === 201);
    // Its counts of changed rows begin again from 0.
    await old.start();
    await waitFor(() => haproxy.isUp(old.port), haproxy.server);
  });

  /** Ingests one text. Returns the status. */
  async function write({ owner }: RunningApi): Promise<number> {
    const title = `write ${crypto.randomUUID()}`;
    const { statusCode } = await owner.ask.ingestSource({ title, text: title });
    if (statusCode === 201) acknowledged.push(title);
    return statusCode;
  }

  /** Runs `start` as often as the tests ask for, a few at once. */
  async function repeat(start: () => Promise<void>): Promise<void> {
    let left = STARTS;
    const startAgain = async () => {
      while (left > 0) {
        left -= 1;
        await start();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, startAgain));
  }

  for (const way of WAYS) {
    test(`an API that starts by ${way} writes to the new one`, async () => {
      await repeat(async () => {
        const api = await startApi(env(way), signal);
        assert.deepEqual([await write(api), await write(api)], [201, 201]);
        await api.process.kill9();
      });
    });

    test(`a worker that starts by ${way} works on the new one`, async () => {
      const count = async () => (await promoted.query('select from memory.worker', 'service')).length;
      const before = await count();
      await repeat(async () => (await startWorker(env(way))).kill9());
      assert.equal((await count()) - before, STARTS);
    });

    test(`an API and a worker that run already by ${way} stay with the new one`, async () => {
      const [api, worker] = [apis.get(way), workers.get(way)];
      assert.ok(api && worker);
      for (let times = 0; times < STARTS; times += 1) assert.equal(await write(api), 201);
      assert.equal((await importText(api, `${way}.txt`, signal)).state, 'completed');
      assert.deepEqual([api.process.child.exitCode, worker.child.exitCode], [null, null]);
    });
  }

  test('every acknowledged write is on the new one, and nothing was written to the old one', async () => {
    await endProcesses();
    const rows = await promoted.query('select title from memory.source', 'service');
    const stored = new Set(rows.map(({ title }) => title));
    assert.ok(acknowledged.length > STARTS);
    assert.deepEqual(
      acknowledged.filter((title) => !stored.has(title)),
      [],
    );
    // A process of the server counts what it has changed when it ends, at the latest.
    await waitFor(
      async () => (await old.query(`select from pg_stat_activity where datname = 'service'`)).length === 0,
    );
    const written = await old.query(
      'select relname, n_tup_ins + n_tup_upd + n_tup_del as rows from pg_stat_all_tables where n_tup_ins + n_tup_upd + n_tup_del > 0',
      'service',
    );
    assert.deepEqual(written, []);
  });

  test('gets no connection from HAProxy with the check of the guide', async () => {
    const global = ['external-check', 'insecure-fork-wanted'];
    const backend = [
      'balance roundrobin',
      'option external-check',
      'external-check path "/usr/lib/postgresql/17/bin:/usr/bin:/bin"',
      `external-check command ${await makePrimaryCheck()}`,
      // How long the script can take, too.
      'default-server inter 3s fall 2 rise 1 on-marked-down shutdown-sessions',
    ];
    const haproxy = await startHaproxy({
      mode: 'tcp',
      ports: [old.port, promoted.port],
      backend,
      global,
    });
    await waitFor(() => haproxy.isUp(promoted.port), haproxy.server);
    // Until the script has seen the new one, it knows no newer timeline.
    await waitFor(async () => !(await haproxy.isUp(old.port)), haproxy.server);
    const before = haproxy.server.log.length;
    // The script remembers the newest timeline while no server has it.
    await promoted.crash();
    await waitFor(async () => !(await haproxy.isUp(promoted.port)), haproxy.server);
    await promoted.start();
    await waitFor(() => haproxy.isUp(promoted.port), haproxy.server);
    const ups = haproxy.server.log.slice(before).filter((line) => line.includes(`port-${old.port} is UP`));
    assert.deepEqual(ups, []);
  });
});
