import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  type ConnectionPool,
  openConnectionPool,
  poolSettings,
  REQUEST_TIMEOUTS,
} from '../../../db/driver/postgres-pool.ts';
import { knownServers, newServers, shareKnownPrimaries } from '../../../db/driver/servers/known-servers.ts';
import { findNewestPrimary } from '../../../db/driver/servers/server-choice.ts';
import { createLogger } from '../../../shared/logger.ts';
import { type FakeOptions, type FakeServer, type FakeState, startFakeServer } from './fake-server.ts';

/** A primary that was replaced, and the one that has replaced it. Both accept changes. */
const OLD: FakeState = { name: 'old', timeline: '00000001' };
const NEW: FakeState = { name: 'new', timeline: '00000002' };
const WRITE = 'insert into written values (1)';

const always = (state: FakeState) => ({ choose: () => state });

async function start(t: TestContext, options: FakeOptions): Promise<FakeServer> {
  const server = await startFakeServer(options);
  t.after(() => server.close());
  return server;
}

/** A primary that was replaced and the new one, each reached directly. */
const startBoth = async (t: TestContext) =>
  [await start(t, always(OLD)), await start(t, always(NEW))] as const;

/** A proxy that leads each connection to a server by its number. */
const startProxy = (t: TestContext, choose: FakeOptions['choose']) => start(t, { isProxy: true, choose });

const urlOf = (...ports: number[]) =>
  `postgres://user:password@${ports.map((port) => `127.0.0.1:${port}`).join()}/service`;

function openPool(t: TestContext, url: string, max = 4): ConnectionPool {
  const settings = { ...poolSettings(url, REQUEST_TIMEOUTS), max };
  const pool = openConnectionPool(settings, REQUEST_TIMEOUTS, createLogger('silent', 'test'));
  t.after(() => pool.close());
  return pool;
}

const write = (pool: ConnectionPool) => pool.use((client) => client.query(WRITE));
/** More at once than the pool has connections. */
const writeOften = (pool: ConnectionPool) => Promise.all(Array.from({ length: 8 }, () => write(pool)));

describe('a process that starts while a primary that was replaced is back beside the new one', () => {
  for (const isOldFirst of [true, false]) {
    test(`writes to the new one by a list of hosts, the old one ${isOldFirst ? 'first' : 'last'}`, async (t) => {
      const [old, promoted] = await startBoth(t);
      const pool = openPool(t, isOldFirst ? urlOf(old.port, promoted.port) : urlOf(promoted.port, old.port));
      await writeOften(pool);
      assert.deepEqual([old.statements, promoted.statements['new']?.length], [{}, 8]);
    });
  }

  test('writes to the new one behind a proxy that takes turns, and no connection fails', async (t) => {
    const proxy = await startProxy(t, (connection) => (connection % 2 === 1 ? OLD : NEW));
    const pool = openPool(t, urlOf(proxy.port));
    await writeOften(pool);
    const beside = await pool.open({});
    await beside.query(WRITE);
    await beside.end();
    assert.deepEqual([Object.keys(proxy.statements), proxy.statements['new']?.length], [['new'], 9]);
  });

  test('finds the new one behind a proxy that sends few connections to it', async (t) => {
    const proxy = await startProxy(t, (connection) => (connection % 6 === 0 ? NEW : OLD));
    await writeOften(openPool(t, urlOf(proxy.port), 1));
    assert.deepEqual(Object.keys(proxy.statements), ['new']);
  });

  test('finds the new one if the name of the host has several IP addresses', async (t) => {
    const promoted = await start(t, always(NEW));
    await start(t, { ...always(OLD), host: '127.0.0.2', port: promoted.port });
    for (const ips of [
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '127.0.0.1'],
    ]) {
      const servers = newServers(`postgres://user:password@database.test:${promoted.port}/service`);
      assert.equal(await findNewestPrimary(servers, async () => ips.map((address) => ({ address }))), true);
      assert.equal(servers.primaries.newest, NEW.timeline);
    }
  });

  test('requires by the address of a pooler what it has seen by the direct address', async (t) => {
    const [old, promoted] = await startBoth(t);
    const [direct, pooler] = [urlOf(promoted.port), urlOf(old.port)];
    shareKnownPrimaries(direct, pooler);
    await write(openPool(t, direct));
    await assert.rejects(write(openPool(t, pooler)), { name: 'WrongServerError' });
    assert.deepEqual(old.statements, {});
  });

  test('does not use the old one after the new one has failed', async (t) => {
    const [old, promoted] = await startBoth(t);
    const pool = openPool(t, urlOf(old.port, promoted.port));
    await write(pool);
    await promoted.close();
    for (let times = 0; times < 4; times += 1) await assert.rejects(write(pool));
    assert.deepEqual(old.statements, {});
  });
});

describe('a process that runs when a primary that was replaced comes back', () => {
  test('drops the connections of a proxy that lead to it, and writes to the new one', async (t) => {
    let isBack = false;
    const proxy = await startProxy(t, (connection) => (isBack && connection % 2 === 1 ? OLD : NEW));
    const pool = openPool(t, urlOf(proxy.port));
    await write(pool);
    isBack = true;
    await writeOften(pool);
    assert.deepEqual([Object.keys(proxy.statements), proxy.statements['new']?.length], [['new'], 9]);
  });

  test('leaves it within seconds if the new one could not be reached at the start', {
    timeout: 30_000,
  }, async (t) => {
    const old = await start(t, always(OLD));
    const other = await start(t, always(NEW));
    await other.close();
    const pool = openPool(t, urlOf(old.port, other.port));
    await write(pool);
    const promoted = await start(t, { ...always(NEW), port: other.port });
    const begun = performance.now();
    t.mock.method(performance, 'now', () => begun + 11_000);
    const known = knownServers(urlOf(old.port, other.port));
    await write(pool);
    // The look goes on beside the statement that has begun it.
    for (let times = 0; times < 500 && known.primaries.newest !== NEW.timeline; times += 1) {
      await write(pool).catch(() => undefined);
    }
    assert.equal(known.primaries.newest, NEW.timeline);
    const before = old.statements['old']?.length;
    await writeOften(pool);
    assert.deepEqual(
      [old.statements['old']?.length, (promoted.statements['new']?.length ?? 0) >= 8],
      [before, true],
    );
  });
});

describe('the search for the newest primary', () => {
  test('opens one connection to a server that is reached directly, and once for all pools of an address', async (t) => {
    const server = await start(t, always(NEW));
    const url = urlOf(server.port);
    await Promise.all([write(openPool(t, url)), write(openPool(t, url))]);
    assert.equal(server.connections(), 3);
  });

  test('does not choose a server that only reads, and is repeated until there is a primary', async (t) => {
    let isPromoted = false;
    const old = await start(t, { choose: () => ({ ...OLD, onlyReads: true }) });
    const replica = await start(t, { choose: () => ({ ...NEW, onlyReads: !isPromoted }) });
    const pool = openPool(t, urlOf(old.port, replica.port));
    await assert.rejects(write(pool), { name: 'WrongServerError' });
    isPromoted = true;
    await write(pool);
    assert.deepEqual([old.statements, replica.statements['new']?.length], [{}, 1]);
  });

  test('is repeated before a server is used that did not answer it', async (t) => {
    // The first connections fail, as those to a server that has just crashed.
    const proxy = await startProxy(t, (connection) =>
      connection === 1 ? null : connection % 2 === 0 ? OLD : NEW,
    );
    await writeOften(openPool(t, urlOf(proxy.port)));
    assert.deepEqual(Object.keys(proxy.statements), ['new']);
  });

  test('goes on with the hosts that can be reached', async (t) => {
    const [gone, server] = [await start(t, always(OLD)), await start(t, always(NEW))];
    await gone.close();
    await write(openPool(t, urlOf(gone.port, server.port)));
    assert.equal(server.statements['new']?.length, 1);
  });

  test('uses a server that hides its log, whose provider chooses the primary', async (t) => {
    const server = await start(t, { isProxy: true, ...always({ ...NEW, hidesLog: true }) });
    const pool = openPool(t, urlOf(server.port));
    await write(pool);
    assert.equal(server.connections(), 2);
  });

  test('fails if the hosts are primaries of different clusters, whose timelines cannot be compared', async (t) => {
    const [one, other] = [await start(t, always(OLD)), await start(t, always({ ...NEW, system: 'other' }))];
    const pool = openPool(t, urlOf(one.port, other.port));
    await assert.rejects(write(pool), /leads to primaries of different clusters/);
    assert.deepEqual([one.statements, other.statements], [{}, {}]);
  });
});
