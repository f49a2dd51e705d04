import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceMetrics } from '../../api/http/metrics.ts';
import { UNREAD_REASONS } from '../../db/driver/faults.ts';
import { addJobCounts } from '../../db/queries/status.ts';
import { newId } from '../../shared/ids.ts';
import { QUEUES } from '../../shared/queues.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient } from '../support/team.ts';
import { fakeReplica, readSamples, type Sample, samplesOf, scrape } from './metrics.ts';

const METRICS_TOKEN = 'the-token-of-the-metrics';
/** Has its own database: metrics cover the whole service, and other test files add jobs and workers. */
const service = await openOwnTestApp({
  MEMORY_METRICS_TOKEN: METRICS_TOKEN,
  MEMORY_RATE_LIMITS: 'on',
  MEMORY_RATE_LIMIT_PER_MINUTE: '2',
});
const { database } = service;
const unset = await openTestApp();

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The value of the one sample with these labels. */
function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}`);
  return found[0]?.value ?? Number.NaN;
}

describe('access to GET /metrics', () => {
  test('only the metrics token is accepted if it is set', async () => {
    assert.equal((await scrape(service, METRICS_TOKEN)).statusCode, 200);
    const { token } = await service.company();
    for (const other of [token, API_TOKEN, 'nonsense', `${METRICS_TOKEN}x`, METRICS_TOKEN.toUpperCase()]) {
      assert.equal(outcome(await scrape(service, other)), '401 unauthenticated');
    }
  });

  test('only the service token is accepted if no metrics token is set', async () => {
    assert.equal((await scrape(unset, API_TOKEN)).statusCode, 200);
    const { token } = await unset.company();
    for (const other of [token, METRICS_TOKEN]) {
      assert.equal(outcome(await scrape(unset, other)), '401 unauthenticated');
    }
  });

  test('a request without a bearer token gets a 401 problem that asks for one', async () => {
    for (const headers of [
      {},
      { authorization: METRICS_TOKEN },
      { authorization: `Basic ${METRICS_TOKEN}` },
    ]) {
      const answer = await service.app.inject({ url: '/metrics', headers });
      assert.equal(outcome(answer), '401 unauthenticated');
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
  });

  test('requests with the metrics token are not rate limited', async () => {
    for (let n = 0; n < 5; n += 1) assert.equal((await scrape(service, METRICS_TOKEN)).statusCode, 200);
  });
});

describe('metrics of requests', () => {
  test('requests are counted by route pattern, method and status', async (t) => {
    const app = await openSecondApp(t, unset);
    const company = await unset.company();
    const client = await addClient(unset, company);
    for (let n = 0; n < 3; n += 1) await via(app, company).ask.getSource(newId());
    await via(app, company).ask.listImports({ clientId: client });
    await via(app, company).ask.ingestSource({ title: 'x', text: 'x', scope: { clientId: client } });
    await app.app.inject(`/nothing/of/${company.teamId}`);
    await app.app.inject({ method: 'PUT', url: `/v1/team/clients/${client}` });
    const samples = await samplesOf(
      app,
      API_TOKEN,
      'memory_http_requests_total',
      'memory_http_request_duration_seconds_count',
    );
    const expected = [
      ['GET', '/v1/memory/sources/:id', '404', 3],
      ['GET', '/v1/memory/imports', '200', 1],
      ['POST', '/v1/memory/ingest', '201', 1],
      ['GET', 'unknown', '404', 1],
      ['PUT', 'unknown', '405', 1],
    ] as const;
    for (const [method, route, status, count] of expected) {
      const labels = { method, route, status };
      assert.equal(valueOf(samples, 'memory_http_requests_total', labels), count);
      const timed = { ...labels, status: `${status[0]}xx` };
      assert.equal(valueOf(samples, 'memory_http_request_duration_seconds_count', timed), count);
    }
    assert.equal(samples.length, 2 * expected.length);
  });

  test('labels and values reveal no caller and no contents', async () => {
    const company = await unset.company();
    const client = await addClient(unset, company);
    const items = [{ filename: 'a-secret-name.txt', text: 'a secret text' }];
    await via(unset, company).ask.importFiles({ items, scope: { clientId: client } });
    await via(unset, company).ask.listSources({ q: 'a-secret-question' });
    await unset.app.inject('/a-secret-path');
    const { body } = await scrape(unset, API_TOKEN);
    assert.match(body, /route="\/v1\/memory\/imports"/);
    assert.doesNotMatch(body, UUID);
    assert.doesNotMatch(body, /secret|test-token|@/i);
    const labels = new Set(readSamples(body).flatMap((sample) => Object.keys(sample.labels)));
    const process = ['version', 'major', 'minor', 'patch', 'type', 'kind', 'space'];
    const known = [
      'method',
      'route',
      'status',
      'queue',
      'state',
      'outcome',
      'le',
      'part',
      'share',
      'mode',
      ...process,
    ];
    assert.deepEqual(
      [...labels].filter((label) => !known.includes(label)),
      [],
    );
  });
});

describe('metrics of queues and workers', () => {
  test('metrics report the state of every queue and the number of live workers', async () => {
    await database.query(
      `insert into pgboss.job (name, state, created_on, start_after, policy)
       select 'import.process', s.state::pgboss.job_state, now() - interval '1 minute', now() + s.after, 'standard'
         from (values ('created', interval '-50 seconds'), ('created', '-50 seconds'), ('retry', '1 hour'),
                      ('active', '0'), ('failed', '0'), ('completed', '0')) as s (state, after)`,
    );
    await database.query(
      `insert into memory.worker (id, queues, rss_bytes, last_seen_at)
       values ($1, '{}', 1, now()), ($2, '{}', 1, now() - interval '2 minutes')`,
      [newId(), newId()],
    );
    const names = ['memory_queue_jobs', 'memory_queue_oldest_ready_age_seconds', 'memory_workers'];
    const samples = await samplesOf(service, METRICS_TOKEN, ...names, 'memory_database_up');
    const queue = 'import.process';
    const states = ['ready', 'deferred', 'active', 'failed'].map((state) =>
      valueOf(samples, 'memory_queue_jobs', { queue, state }),
    );
    assert.deepEqual(states, [2, 1, 1, 1]);
    const age = valueOf(samples, 'memory_queue_oldest_ready_age_seconds', { queue });
    assert.ok(age >= 50 && age < 600, String(age));
    assert.equal(valueOf(samples, 'memory_queue_oldest_ready_age_seconds', { queue: 'team.purge' }), 0);
    assert.equal(valueOf(samples, 'memory_workers'), 1);
    assert.equal(valueOf(samples, 'memory_database_up'), 1);
    const queues = samples
      .filter(({ labels }) => labels['state'] === 'ready')
      .map(({ labels }) => labels['queue']);
    assert.deepEqual(queues.sort(), Object.keys(QUEUES).sort());
  });

  test('metrics report outcomes and durations of jobs as a histogram', async () => {
    const durations = [1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1];
    const count = {
      queue: 'import.process',
      outcome: 'completed',
      jobs: 4,
      seconds: 1200.5,
      durations,
    } as const;
    await addJobCounts(database, [
      { ...count, durations },
      { ...count, outcome: 'failed', jobs: 1, seconds: 3, durations: [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0] },
    ]);
    const name = 'memory_job_duration_seconds';
    const samples = await samplesOf(
      service,
      METRICS_TOKEN,
      'memory_jobs_total',
      ...['bucket', 'sum', 'count'].map((part) => `${name}_${part}`),
    );
    const labels = { queue: 'import.process', outcome: 'completed' };
    assert.equal(valueOf(samples, 'memory_jobs_total', labels), 4);
    assert.equal(valueOf(samples, 'memory_jobs_total', { ...labels, outcome: 'failed' }), 1);
    assert.equal(valueOf(samples, `${name}_sum`, labels), 1200.5);
    assert.equal(valueOf(samples, `${name}_count`, labels), 4);
    const buckets = samples
      .filter((sample) => sample.name === `${name}_bucket` && sample.labels['outcome'] === 'completed')
      .map((sample) => [sample.labels['le'], sample.value]);
    assert.deepEqual(buckets, [
      ['0.01', 1],
      ['0.05', 1],
      ['0.1', 1],
      ['0.5', 3],
      ['1', 3],
      ['5', 3],
      ['15', 3],
      ['60', 3],
      ['300', 3],
      ['900', 3],
      ['+Inf', 4],
    ]);
  });
});

test('metrics divide the open connections of a pool into busy and idle', async () => {
  const connections = () => ({ max: 10, open: 7, idle: 3, waiting: 2 });
  const registry = serviceMetrics(
    { connections, canWrite: () => true, freeBytes: () => null },
    { writable: true, figures: null },
    [],
  );
  const samples = readSamples(await registry.metrics());
  const states = ['busy', 'idle'].map((state) =>
    valueOf(samples, 'memory_database_pool_connections', { state }),
  );
  assert.deepEqual(states, [4, 3]);
  assert.equal(valueOf(samples, 'memory_database_pool_max_connections'), 10);
  assert.equal(valueOf(samples, 'memory_database_pool_waiting_requests'), 2);
});

test('metrics report the reads of a replica, why the primary has answered some, and the connections to it', async () => {
  const replica = fakeReplica({
    isUsable: () => false,
    connections: () => ({ max: 6, open: 5, idle: 2, waiting: 1 }),
  });
  replica.counts.replica = 7;
  replica.counts.primary.behind = 3;
  const driver = { connections: () => null, canWrite: () => true, freeBytes: () => null, replica };
  const registry = serviceMetrics(driver, { writable: true, figures: null }, []);
  const samples = readSamples(await registry.metrics());
  assert.equal(valueOf(samples, 'memory_replica_usable'), 0);
  const reads = (labels: Record<string, string>) => valueOf(samples, 'memory_replica_reads_total', labels);
  assert.equal(reads({ server: 'replica' }), 7);
  assert.equal(reads({ server: 'primary', reason: 'behind' }), 3);
  // There before the first one: otherwise it would not count as an increase.
  for (const reason of UNREAD_REASONS.filter((each) => each !== 'behind'))
    assert.equal(reads({ server: 'primary', reason }), 0, reason);
  const pool = (name: string, labels = {}) => valueOf(samples, `memory_replica_pool_${name}`, labels);
  assert.deepEqual(
    ['busy', 'idle'].map((state) => pool('connections', { state })),
    [3, 2],
  );
  assert.deepEqual([pool('max_connections'), pool('waiting_requests')], [6, 1]);
});

describe('metrics during a database failure', () => {
  const known = ['memory_http_requests_total', 'memory_database_up', 'process_resident_memory_bytes'];
  const unknown = ['memory_queue_jobs', 'memory_workers', 'memory_jobs_total'];

  test('metrics report the same if the database hangs, and concurrent scrapes share the questions to it', async (t) => {
    const released = Promise.withResolvers<null>();
    let asked = 0;
    const app = await buildTestedApp({
      ...unset,
      database: {
        ...unset.database,
        transaction: async (fn, opening) => {
          asked += 1;
          await released.promise;
          return unset.database.transaction(fn, opening);
        },
      },
    });
    t.after(async () => {
      released.resolve(null);
      await app.close();
    });
    const scrapes = await Promise.all(
      [1, 2, 3].map(() => samplesOf({ app }, API_TOKEN, ...known, ...unknown)),
    );
    for (const samples of scrapes) {
      assert.equal(valueOf(samples, 'memory_database_up'), 0);
      assert.ok(!samples.some(({ name }) => unknown.includes(name)));
    }
    // Whether it is up, and the figures.
    assert.equal(asked, 2);
    released.resolve(null);
    for (;;) {
      t.signal.throwIfAborted();
      const samples = await samplesOf({ app }, API_TOKEN, 'memory_database_up');
      if (valueOf(samples, 'memory_database_up') === 1) break;
    }
  });
});
