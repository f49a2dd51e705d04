import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { openPostgres } from '../../db/driver/postgres.ts';
import { openQueue } from '../../db/queue/queue.ts';
import { send } from '../faults/load/client.ts';
import { terminate } from '../faults/load/system.ts';
import { endProcesses, type ServiceProcess } from '../support/needs/process.ts';
import { complaints, importText, type RunningApi, startApi, startWorker } from './processes.ts';
import { endServers, waitFor } from './servers/debian.ts';
import { type PgBouncer, startPgBouncer } from './servers/pgbouncer.ts';
import { type PostgresServer, SUPERUSER, startPostgres } from './servers/postgres.ts';

after(endServers);
after(endProcesses);

const WITHOUT_LISTEN = /LISTEN is unavailable/;

describe('API and worker behind PgBouncer as packaged', () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  let api: RunningApi;
  let worker: ServiceProcess;
  /** Has only the settings that are packaged, and no direct address. */
  let env: Record<string, string>;

  before(async () => {
    server = await startPostgres();
    await server.createDatabase('service');
    pooler = await startPgBouncer(`host=127.0.0.1 port=${server.port}`);
    env = { MEMORY_DATABASE_URL: pooler.url('service'), MEMORY_RATE_LIMITS: 'on' };
    api = await startApi(env, new AbortController().signal);
    worker = await startWorker(env);
  });

  const ingest = async (title: string) =>
    (await api.owner.ask.ingestSource({ title, text: title })).statusCode;

  test('the worker polls, says so once, and completes an import without an error', async (t) => {
    assert.equal((await importText(api, 'polled.txt', t.signal)).state, 'completed');
    assert.deepEqual(complaints(api.process), []);
    const warnings = complaints(worker);
    assert.equal(warnings.length, 1, warnings.join('\n'));
    assert.match(warnings[0] ?? '', WITHOUT_LISTEN);
  });

  test('a queue that cannot listen says why once, and listens when notifications arrive', async () => {
    const other = await startPgBouncer(`host=127.0.0.1 port=${server.port}`);
    const logged: string[] = [];
    const write = (line: string) => {
      const { msg, reason } = JSON.parse(line) as { msg: string; reason?: string };
      if (msg.startsWith('LISTEN')) logged.push(reason ?? msg);
    };
    const logger = pino({ level: 'info' }, { write });
    const databaseUrl = other.url('service');
    const database = openPostgres(databaseUrl, logger, { max: 1 });
    const listenWaits = { first: 50, longest: 50 };
    const queue = await openQueue({
      database,
      databaseUrl,
      supervise: true,
      logger,
      drainMs: 1000,
      listenWaits,
    });
    try {
      assert.deepEqual(logged, ['no notification arrived']);
      await other.console('set pool_mode = session');
      await waitFor(async () => logged.includes('LISTEN is available now'));
      assert.deepEqual(logged, ['no notification arrived', 'LISTEN is available now']);
    } finally {
      await queue.stop();
      await database.close();
    }
  });

  test('a write to a locked table is 503, and nothing is left waiting in the server', async () => {
    assert.equal(await ingest('before'), 201);
    const locker = new pg.Client({ connectionString: server.url('service', SUPERUSER) });
    await locker.connect();
    try {
      await locker.query('begin; lock table memory.source in access exclusive mode');
      // The client gives up at the time within which the service promises an answer.
      const refused = await send(
        api.url,
        { method: 'POST', path: '/v1/memory/ingest', body: { title: 'locked', text: 'locked' } },
        12_000,
      );
      assert.equal(refused.status, 503, refused.failure ?? refused.text);
      // What the worker does on the table meets the same limits. Without them, it would all wait until the lock ends.
      await waitFor(async () => {
        const { rows } = await locker.query(
          `select from pg_stat_activity where datname = 'service' and usename = 'memory' and wait_event_type = 'Lock'`,
        );
        return rows.length === 0;
      });
    } finally {
      await locker.end();
    }
    assert.equal(await ingest('after'), 201);
  });

  test('a statement without limits of its own reaches no other client of the pooler', async () => {
    const client = new pg.Client({ connectionString: pooler.url('service') });
    await client.connect();
    const { rows } = await client.query<Record<string, string>>(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    await client.end();
    assert.deepEqual(rows, [{ statement: '0', lock: '0', idle: '0' }]);
  });

  test('with a direct address the worker is notified, and complains of nothing', async (t) => {
    const direct = { ...env, MEMORY_DATABASE_DIRECT_URL: server.url('service') };
    assert.equal(await terminate(worker), 0);
    const notified = await startWorker(direct);
    assert.equal((await importText(api, 'notified.txt', t.signal)).state, 'completed');
    assert.deepEqual(complaints(notified), []);
    const listening = await server.query(
      `select 1 as one from pg_stat_activity where application_name = 'team-memory-queue-listen'`,
    );
    assert.equal(listening.length, 1);
    assert.equal(await terminate(notified), 0);
  });

  test('no connection of the pooler listens when the processes have ended', async () => {
    assert.equal(await terminate(api.process), 0);
    const open = async () => {
      const all = await pooler.console('show servers');
      return all.filter(({ database }) => database === 'service').map(({ remote_pid: pid }) => Number(pid));
    };
    const pids = await open();
    assert.ok(pids.length > 0);
    // Transactions at the same time have all of the connections.
    const clients = pids.map(() => new pg.Client({ connectionString: pooler.url('service') }));
    const seen = new Set<number>();
    for (const client of clients) {
      await client.connect();
      await client.query('begin');
      const { rows } = await client.query<{ pid: number; channels: number }>(
        'select pg_backend_pid() as pid, (select count(*)::int from pg_listening_channels()) as channels',
      );
      seen.add(rows[0]?.pid ?? 0);
      assert.equal(rows[0]?.channels, 0);
    }
    for (const client of clients) await client.end();
    assert.ok(
      pids.every((pid) => seen.has(pid)),
      'every connection was looked at',
    );
  });
});
