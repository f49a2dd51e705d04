import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { beginWithin, JOB_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { openQueueConnections, type QueueConnections } from '../../db/queue/connections.ts';
import { createLogger } from '../../shared/logger.ts';
import { openTcpProxy, type TcpProxy } from '../faults/tcp-proxy.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { type PgBouncer, startPgBouncer } from './servers/pgbouncer.ts';
import {
  PASSWORD,
  type PostgresServer,
  SERVICE_USER,
  signalServer,
  startPostgres,
} from './servers/postgres.ts';
import { type Replica, startReplica } from './servers/replica.ts';

after(endServers);

const logger = createLogger('silent', 'test');
/** The client waits so long for an answer that no test passes by a time-out. */
const PATIENT = { ...JOB_TIMEOUTS, connect: 3_600_000, query: 3_600_000 };
const UNUSABLE = { code: '57P03' };
const PID = 'select pg_backend_pid() as pid';

// Without a look at the other host, what is sent would wait for an hour.
describe('a primary that hangs, with the addresses of both servers', { timeout: 60_000 }, () => {
  let old: PostgresServer;
  let promoted: Replica;
  let database: Database;

  before(async () => {
    old = await startPostgres();
    await old.createDatabase('service');
    promoted = await startReplica(old);
    const hosts = `127.0.0.1:${old.port},127.0.0.1:${promoted.port}`;
    const url = `postgres://${SERVICE_USER}:${PASSWORD}@${hosts}/service`;
    database = openPostgres(url, logger, { max: 2, timeouts: PATIENT });
  });
  after(async () => {
    // A test that has failed leaves it stopped, and its processes would not end.
    signalServer(old, 'SIGCONT');
    await database.close();
  });

  const pid = async (): Promise<unknown> => (await database.query(PID))[0]?.['pid'];
  const isOfPromoted = async (found: unknown) =>
    (await promoted.query(`select from pg_stat_activity where pid = ${Number(found)}`)).length === 1;
  /** How often the replica was looked at. */
  const looks = async () => {
    const [row] = await promoted.query(`select sessions from pg_stat_database where datname = 'service'`);
    return Number(row?.['sessions']);
  };

  test('keeps its connections while it is only slow, and its replica is not promoted', async () => {
    const [before, seen] = [await pid(), await looks()];
    await database.query('select pg_sleep(3)');
    assert.equal(await pid(), before);
    await waitFor(async () => (await looks()) > seen);
    assert.equal(await pid(), before);
  });

  test('keeps them while it hangs and its replica is not promoted', async () => {
    const [before, seen] = [await pid(), await looks()];
    signalServer(old, 'SIGSTOP');
    const waiting = pid();
    await waitFor(async () => (await looks()) > seen + 1);
    signalServer(old, 'SIGCONT');
    assert.equal(await waiting, before);
  });

  test('is left when its replica is promoted: what it was sent fails, and the rest goes on', async () => {
    await pid();
    assert.equal(database.connections()?.open, 1);
    signalServer(old, 'SIGSTOP');
    // The first is sent on the connection that is open, the second opens one, and the third waits for one of them.
    const [sent, opening, waiting] = [database.query(PID), pid(), pid()];
    await promoted.promote();
    await assert.rejects(sent, UNUSABLE);
    for (const answered of [await opening, await waiting]) assert.ok(await isOfPromoted(answered));
  });

  test('gets no connection when it goes on as a primary', async () => {
    signalServer(old, 'SIGCONT');
    await promoted.crash();
    await assert.rejects(pid());
    await promoted.start();
    await waitFor(async () => isOfPromoted(await pid()));
  });
});

describe('an old primary that comes back behind PgBouncer', () => {
  let old: PostgresServer;
  let promoted: Replica;
  /** Between PgBouncer and the server. */
  let way: TcpProxy;
  const target = { host: '127.0.0.1', port: 0 };
  let pooler: PgBouncer;
  /** Each has one connection, for one way to use it. */
  let [statements, transactions, reads]: Database[] = [];
  let queue: QueueConnections;

  before(async () => {
    old = await startPostgres();
    await old.createDatabase('service');
    promoted = await startReplica(old);
    await old.query(`create table written (n int); grant all on written to ${SERVICE_USER}`, 'service');
    target.port = old.port;
    way = await openTcpProxy(target);
    pooler = await startPgBouncer(`host=127.0.0.1 port=${way.port}`);
    const open = () => openPostgres(pooler.url('service'), logger, { max: 1 });
    [statements, transactions, reads] = [open(), open(), open()];
    queue = openQueueConnections(pooler.url('service'), logger, { max: 1, timeouts: JOB_TIMEOUTS });
    queue.hasStarted();
  });
  after(async () => {
    await Promise.all([statements?.close(), transactions?.close(), reads?.close(), queue.close()]);
    await way.close();
  });

  const WRITE = 'insert into written values (1)';
  const SCRIPT = `\n  BEGIN;\n ${WRITE};\n select 'found' as row; COMMIT;`;
  /** Every way in which the service sends statements. */
  const uses: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
    'a statement': () => statements?.query(WRITE),
    'a transaction': () =>
      transactions?.transaction(({ query }) => query(WRITE), { text: 'set local jit = off' }),
    'a read with begin': () =>
      reads?.transaction(({ query }) => query('select 1'), {
        text: 'set local jit = off',
        isSentWithFirstRead: true,
      }),
    'a statement of the queue': () => queue.executeSql(WRITE),
    'a script of the queue': () => queue.executeSql(SCRIPT),
  };

  /** Lets PgBouncer connect to another server. Its clients stay connected. */
  async function switchTo(server: PostgresServer): Promise<void> {
    target.port = server.port;
    await pooler.console('reconnect');
    await pooler.console('wait_close');
  }
  const written = async (server: PostgresServer) =>
    (await server.query('select from written', 'service')).length;

  test('only behind PgBouncer, a transaction begins with a look at the timeline', async () => {
    const direct = openPostgres(old.url('service'), logger, { max: 1 });
    const beginOf = (database: Database | undefined) =>
      database?.transaction(() =>
        old.query(
          `select query from pg_stat_activity where application_name = 'team-memory' and state = 'idle in transaction'`,
        ),
      );
    assert.deepEqual(await beginOf(direct), [{ query: beginWithin(JOB_TIMEOUTS) }]);
    await direct.close();
    const [pooled] = (await beginOf(transactions)) ?? [];
    assert.match(String(pooled?.['query']), /^begin; select timeline, .*; set local statement_timeout/s);
  });

  test('every use of a connection passes to the server that was promoted', async () => {
    for (const [use, run] of Object.entries(uses)) assert.ok(await run(), use);
    await old.crash();
    await promoted.promote();
    const before = await written(promoted);
    await switchTo(promoted);
    // The connections to the one that has crashed fail first.
    for (const run of Object.values(uses)) await waitFor(async () => (await run()) !== undefined);
    assert.ok((await written(promoted)) >= before + 4);
  });

  test('the old primary refuses every use of a connection, and stores nothing', async () => {
    await old.start();
    const before = await written(old);
    await switchTo(old);
    for (const [use, run] of Object.entries(uses)) await assert.rejects(async () => run(), UNUSABLE, use);
    assert.equal(await written(old), before);
    await switchTo(promoted);
    for (const [use, run] of Object.entries(uses)) assert.ok(await run(), use);
  });

  test('a server that does not show its log is used without a look', async () => {
    await promoted.query('revoke execute on function pg_walfile_name(pg_lsn) from public', 'service');
    const hosted = openPostgres(pooler.url('service'), logger, { max: 1 });
    assert.equal((await hosted.query('select 1')).length, 1);
    await hosted.close();
  });
});
