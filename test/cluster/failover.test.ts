import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses } from '../support/needs/process.ts';
import { type RunningApi, startApi, startWorker } from './processes.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { PASSWORD, type PostgresServer, SERVICE_USER, startPostgres } from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

/** How many connections a process has for requests, with the usual settings. */
const CONNECTIONS = 6;

after(endServers);
after(endProcesses);

describe('a primary that is lost, with the addresses of both servers and a synchronous replica', () => {
  let old: PostgresServer;
  let promoted: Replica;
  let api: RunningApi;
  /** The titles of all acknowledged writes. */
  const acknowledged: string[] = [];
  let writes = 0;

  before(async () => {
    old = await startPostgres();
    await old.createDatabase('service');
    promoted = await startReplica(old, { isSynchronous: true });
    const hosts = `127.0.0.1:${old.port},127.0.0.1:${promoted.port}`;
    const url = `postgres://${SERVICE_USER}:${PASSWORD}@${hosts}/service?target_session_attrs=read-write`;
    const env = { MEMORY_DATABASE_URL: url, MEMORY_RATE_LIMITS: 'on' };
    api = await startApi(env, new AbortController().signal);
    await startWorker(env);
  });

  /** Ingests one text. Returns the status. */
  async function write(): Promise<number> {
    writes += 1;
    const title = `write ${writes}`;
    const { statusCode } = await api.owner.ask.ingestSource({ title, text: title });
    if (statusCode === 201) acknowledged.push(title);
    return statusCode;
  }

  const search = async () => {
    const query = { query: 'write', embeddingMode: 'keyword', scope: {} };
    return (await api.owner.ask.searchMemory(query)).statusCode;
  };
  const list = async () => (await api.owner.ask.listSources()).statusCode;

  const readiness = async () => {
    const answer = await api.owner.send('GET', '/readyz');
    return [answer.statusCode, answer.json()];
  };
  const metrics = async () => (await api.owner.send('GET', '/metrics')).body;

  const titlesOn = async (server: PostgresServer) => {
    const rows = await server.query('select title from memory.source', 'service');
    return new Set(rows.map(({ title }) => String(title)));
  };

  test('acknowledges nothing while its replica is gone, and still answers what only reads', async () => {
    assert.equal(await write(), 201);
    await promoted.crash();
    /** How many connections wait for the replica, or for this and others. */
    const waiting = async (...events: string[]) => {
      const [row] = await old.query(
        `select count(*)::int as n from pg_stat_activity where wait_event = any('{${['SyncRep', ...events].join()}}')`,
      );
      return Number(row?.['n']);
    };
    const searched = search();
    const written = Array.from({ length: 12 }, write);
    // Before the API knows it, changes have all of its connections for requests. Most wait for another change.
    await waitFor(async () => {
      const before = await waiting('transactionid');
      await sleep(100);
      return before >= CONNECTIONS && (await waiting('transactionid')) === before;
    });
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 12 }, list))), new Set([200]));
    assert.deepEqual(new Set(await Promise.all([searched, ...written])), new Set([503]));
    const reason = 'no_synchronous_replica';
    assert.deepEqual(await readiness(), [503, { ok: false, writes: false, reason }]);
    assert.match(await metrics(), /^memory_database_writable(\{[^}]*\})? 0$/m);
    // More than the process has connections: those that wait for the replica do not use them up.
    const before = await waiting();
    const refused = Promise.all([...Array.from({ length: 12 }, write), search()]);
    assert.equal(await list(), 200);
    assert.deepEqual(new Set(await refused), new Set([503]));
    assert.equal(await waiting(), before);
    await promoted.start();
    await waitFor(async () => (await write()) === 201);
    assert.equal(await search(), 200);
    assert.deepEqual(await readiness(), [200, { ok: true, writes: true }]);
    assert.match(await metrics(), /^memory_database_writable(\{[^}]*\})? 1$/m);
  });

  test('acknowledges nothing, and says why, while its replica is connected and confirms nothing', async () => {
    const [receiver] = await promoted.query('select pid from pg_stat_wal_receiver');
    const pid = Number(receiver?.['pid']);
    assert.ok(pid > 1);
    process.kill(pid, 'SIGSTOP');
    try {
      assert.equal(await write(), 503);
      const reason = 'no_synchronous_replica';
      assert.deepEqual(await readiness(), [503, { ok: false, writes: false, reason }]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(async () => (await write()) === 201);
    assert.deepEqual(await readiness(), [200, { ok: true, writes: true }]);
  });

  test('is replaced by its replica: what was acknowledged is there, and writes go on', async () => {
    for (let times = 0; times < 20; times += 1) assert.equal(await write(), 201);
    await old.crash();
    assert.equal(await write(), 503);
    assert.deepEqual(await readiness(), [503, { ok: false, writes: false }]);
    await promoted.promote();
    await waitFor(async () => (await write()) === 201);
    for (let times = 0; times < 5; times += 1) assert.equal(await write(), 201);
    assert.equal(await search(), 200);
    const stored = await titlesOn(promoted);
    assert.deepEqual(
      acknowledged.filter((title) => !stored.has(title)),
      [],
    );
  });

  test('gets no acknowledged write when it comes back as a primary', async () => {
    // It would wait for its replica, which has another primary now: so nothing would be acknowledged anyway.
    await old.start();
    await old.query(`alter system set synchronous_standby_names = ''`);
    await old.query('select pg_reload_conf()');
    const before = (await titlesOn(old)).size;
    await promoted.crash();
    for (let times = 0; times < 10; times += 1) assert.equal(await write(), 503);
    assert.equal((await titlesOn(old)).size, before);
    await promoted.start();
    await waitFor(async () => (await write()) === 201);
    const stored = await titlesOn(promoted);
    assert.deepEqual(
      acknowledged.filter((title) => !stored.has(title)),
      [],
    );
  });
});
