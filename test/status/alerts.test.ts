import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { serviceMetrics } from '../../api/http/metrics.ts';
import { asWorker } from '../../db/driver/database.ts';
import { openBucket } from '../../db/objects/bucket.ts';
import { call } from '../../db/queries/call.ts';
import { addJobCounts } from '../../db/queries/status.ts';
import { newId } from '../../shared/ids.ts';
import { readAlerts } from '../support/alerts.ts';
import { API_TOKEN } from '../support/app.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { plantImports } from '../support/import-records.ts';
import { databaseUrl } from '../support/needs/database.ts';
import '../support/needs/process.ts';
import { callerOf, via } from '../support/client/client.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { openSecondApp } from '../support/second-app.ts';
import { fakeReplica, readSamples, type Sample, samplesOf } from './metrics.ts';

// A process of its own: credentials of the bucket are variables.

/** Has its own database: metrics cover the whole service. No worker runs. */
const service = await openOwnTestApp({ MEMORY_API_SERVER_EMBEDDINGS: '1' });
const { database } = service;
const company = await service.company();

const ingest = () => company.ask.ingestSource({ title: 'x', text: newId() });
const search = (app: Pick<typeof service, 'app'>) =>
  via(app, company).ask.searchMemory({ query: 'heron', scope: {}, embeddingMode: 'keyword' });

const hasLabels = (sample: Sample, labels: Record<string, string>) =>
  Object.entries(labels).every(([label, value]) => sample.labels[label] === value);

/** The sum of the samples of a metric that have these labels. */
async function read(
  name: string,
  labels: Record<string, string> = {},
  app: Pick<typeof service, 'app'> = service,
): Promise<number> {
  const samples = await samplesOf(app, API_TOKEN, name);
  return samples
    .filter((sample) => hasLabels(sample, labels))
    .reduce((total, sample) => total + sample.value, 0);
}

/** The app on the same database with another driver. */
async function withDriver(t: TestContext, changed: Partial<typeof database>) {
  const app = await buildTestedApp({ ...service, database: { ...database, ...changed } });
  t.after(() => app.close());
  return { app };
}

/** The app with a bucket whose requests all get the same answer. */
async function withBucket(t: TestContext, answers: (answer: ServerResponse) => void) {
  const server = createServer((request, answer) => {
    request.resume();
    answers(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    const before = process.env[name];
    process.env[name] = 'test';
    t.after(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  const address = { bucket: 'files', prefix: '', endpoint: `http://127.0.0.1:${port}`, region: null };
  const bucket = await openBucket(address);
  const app = await buildTestedApp({ ...service, blobs: { ...service.blobs, bucket } });
  t.after(() => app.close());
  return { app, bucket };
}

/** The counts of requests to the bucket with these labels, one for each series. */
async function requestsTo(app: (typeof service)['app'], labels: Record<string, string>) {
  const samples = await samplesOf({ app }, API_TOKEN, 'memory_object_requests_total');
  return samples.filter((sample) => hasLabels(sample, labels)).map(({ value }) => value);
}

/** For each alert: breaks what it watches, and looks at the metric. */
const BREAKS: Record<string, (t: TestContext) => Promise<void>> = {
  TeamMemoryNotScraped: async (t) => {
    const { app } = await openSecondApp(t, service);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const headers = { authorization: `Bearer ${API_TOKEN}` };
    const answer = await fetch(`${address}/metrics`, { headers });
    assert.match(await answer.text(), /^memory_database_up 1$/m);
    await app.close();
    await assert.rejects(fetch(`${address}/metrics`, { headers }));
  },
  TeamMemoryDatabaseDown: async (t) => {
    let isDown = false;
    const app = await openFailingApp(t, service, () => (isDown ? databaseError('ECONNREFUSED') : null));
    assert.equal(await read('memory_database_up', {}, { app }), 1);
    const slow = await openFailingApp(t, service, (statement) =>
      statement.includes('service_state') ? databaseError('57014') : null,
    );
    assert.equal(await read('memory_database_up', {}, { app: slow }), 1);
    assert.equal(await read('memory_database_writable', {}, { app: slow }), 1);
    assert.deepEqual(await samplesOf({ app: slow }, API_TOKEN, 'memory_workers'), []);
    isDown = true;
    assert.equal(await read('memory_database_up', {}, { app }), 0);
    assert.equal(await read('memory_database_writable', {}, { app }), 0);
  },
  TeamMemoryNotWritable: async (t) => {
    assert.equal(await read('memory_database_writable'), 1);
    const standby = await withDriver(t, {
      transaction: (fn, opening) =>
        database.transaction(async (tx) => {
          await tx.query('set transaction read only');
          return fn(tx);
        }, opening),
    });
    assert.equal(await read('memory_database_writable', {}, standby), 0);
    assert.equal(await read('memory_database_up', {}, standby), 1);
    const fullDisk = await withDriver(t, { canWrite: () => false });
    assert.equal(await read('memory_database_writable', {}, fullDisk), 0);
  },
  TeamMemoryNoWorker: async () => {
    await database.query(`insert into memory.worker (id, queues, rss_bytes) values ($1, '{}', 1)`, [newId()]);
    assert.equal(await read('memory_workers'), 1);
    await database.query(`update memory.worker set last_seen_at = now() - interval '31 seconds'`);
    assert.equal(await read('memory_workers'), 0);
  },
  TeamMemoryJobsWait: async () => {
    const waits = () => read('memory_queue_oldest_ready_age_seconds', { queue: 'team.purge' });
    assert.equal(await waits(), 0);
    await database.query(
      `insert into pgboss.job (name, state, created_on, start_after, policy)
       values ('team.purge', 'created', now() - interval '10 minutes', now() - interval '10 minutes', 'standard')`,
    );
    assert.ok((await waits()) >= 600);
  },
  TeamMemoryJobsFail: async () => {
    const failed = () =>
      samplesOf(service, API_TOKEN, 'memory_jobs_total').then((samples) =>
        samples.filter((sample) => hasLabels(sample, { queue: 'team.purge', outcome: 'failed' })),
      );
    // There before the first failure: otherwise the first ones would not count as an increase.
    assert.deepEqual(
      (await failed()).map(({ value }) => value),
      [0],
    );
    const durations = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    await addJobCounts(database, [
      { queue: 'team.purge', outcome: 'failed', jobs: 1, seconds: 1, durations },
    ]);
    assert.deepEqual(
      (await failed()).map(({ value }) => value),
      [1],
    );
  },
  TeamMemoryImportsFail: async () => {
    assert.equal(await read('memory_imports', { state: 'failed' }), 0);
    await plantImports(service, company, 3, { state: 'failed' });
    await plantImports(service, company, 2, { state: 'completed' });
    assert.equal(await read('memory_imports', { state: 'failed' }), 3);
    assert.equal(await read('memory_imports', { state: 'completed' }), 2);
  },
  TeamMemoryRequestsFail: async (t) => {
    let isBroken = true;
    const app = await openFailingApp(t, service, () => (isBroken ? databaseError('42P01') : null));
    await via({ app }, company).ask.getStatus();
    isBroken = false;
    await via({ app }, company).ask.getStatus();
    const counted = (status: string) =>
      read('memory_http_requests_total', { route: '/v1/memory/status', status }, { app });
    assert.deepEqual([await counted('500'), await counted('200')], [1, 1]);
  },
  TeamMemoryBucketFails: async (t) => {
    const { app, bucket } = await withBucket(t, (answer) => answer.writeHead(403).end());
    const refused = { operation: 'put', outcome: 'refused' };
    assert.deepEqual(await requestsTo(app, refused), [0]);
    await assert.rejects(bucket.put('a', Buffer.from('x'), t.signal), { reason: 'refused' });
    assert.deepEqual(await requestsTo(app, refused), [1]);
    assert.deepEqual(await requestsTo(app, { operation: 'put', outcome: 'unavailable' }), [0]);
  },
  TeamMemoryFilesDamaged: async (t) => {
    const { app, bucket } = await withBucket(t, (answer) => answer.writeHead(200).end('other bytes'));
    const damaged = { operation: 'get', outcome: 'damaged' };
    assert.deepEqual(await requestsTo(app, damaged), [0]);
    const read = bucket.get('the-key', { first: 0, last: 0, of: 1 }, () => undefined, t.signal);
    await assert.rejects(read, { reason: 'damaged', message: /the-key/ });
    assert.deepEqual(await requestsTo(app, damaged), [1]);
    assert.deepEqual(await requestsTo(app, { operation: 'get', outcome: 'missing' }), [0]);
  },
  TeamMemorySearchSlow: async (t) => {
    // The first statement that searches is answered when 30 ms have passed.
    const app = await openFailingApp(t, service, async (statement) => {
      const until = performance.now() + 30;
      while (statement.includes('search_hits') && performance.now() < until) await new Promise(setImmediate);
      return null;
    });
    assert.equal((await search({ app })).statusCode, 200);
    const name = 'memory_http_request_duration_seconds_bucket';
    const labels = { route: '/v1/memory/search', status: '2xx' };
    const faster = await read(name, { ...labels, le: '0.025' }, { app });
    assert.deepEqual([faster, await read(name, { ...labels, le: '+Inf' }, { app })], [0, 1]);
  },
  TeamMemoryConnectionsUsedUp: async (t) => {
    if (databaseUrl === undefined) {
      t.skip('needs PostgreSQL');
      return;
    }
    const { database: pooled } = await openSecondApp(t, service, service.url);
    const waiting = async () => {
      const samples = readSamples(
        await serviceMetrics(pooled, { writable: true, figures: null }, []).metrics(),
      );
      return samples.find(({ name }) => name === 'memory_database_pool_waiting_requests')?.value;
    };
    const freed = Promise.withResolvers<null>();
    const max = pooled.connections()?.max ?? 0;
    const busy = Array.from({ length: max + 2 }, () => pooled.transaction(() => freed.promise));
    // The test ends by its time limit if it is never so.
    while ((await waiting()) !== 2) await new Promise(setImmediate);
    freed.resolve(null);
    await Promise.all(busy);
    assert.equal(await waiting(), 0);
  },
  // That a replica that does not answer is not usable is tested in test/db/replica.test.ts.
  TeamMemoryReplicaUnused: async () => {
    let isUsable = true;
    const replica = fakeReplica({ isUsable: () => isUsable });
    const shown = async () =>
      readSamples(
        await serviceMetrics({ ...database, replica }, { writable: true, figures: null }, []).metrics(),
      )
        .filter(({ name, labels }) => name === 'memory_replica_usable' || labels['reason'] === 'gone')
        .map(({ value }) => value);
    assert.deepEqual(await shown(), [1, 0]);
    isUsable = false;
    replica.counts.primary.gone = 1;
    assert.deepEqual(await shown(), [0, 1]);
  },
  TeamMemoryVectorsStall: async () => {
    const before = await read('memory_pending_chunks', { mode: 'server' });
    await ingest();
    assert.equal(await read('memory_pending_chunks', { mode: 'server' }), before + 1);
    // A worker that embeds a chunk deletes its mark.
    await database.query('delete from memory.embedding_pending');
    assert.equal(await read('memory_pending_chunks', { mode: 'server' }), 0);
  },
  TeamMemoryAuditUnsealed: async () => {
    const age = () => read('memory_audit_oldest_unsealed_age_seconds');
    await ingest();
    await database.query(`update memory.audit_unsealed set event_id = identity.new_id(now() - interval '15 minutes')
                           where event_id = (select event_id from memory.audit_unsealed order by 1 limit 1)`);
    assert.ok((await age()) >= 900);
    // An event that does not exist cannot be sealed.
    const seal = () => asWorker(database, (tx) => call(tx, 'memory.seal_audit', company.companyId, 1000));
    await seal();
    assert.ok((await age()) >= 900);
    await database.query('delete from memory.audit_unsealed');
    assert.equal(await age(), 0);
    await ingest();
    await seal();
    assert.equal(await age(), 0);
  },
  TeamMemoryDatabaseLarge: async (t) => {
    const before = await read('memory_database_size_bytes');
    await database.query(
      `create table public.filler as select repeat('x', 1000) as filler from generate_series(1, 2000)`,
    );
    assert.ok((await read('memory_database_size_bytes')) >= before + 2_000_000);
    assert.deepEqual(await samplesOf(service, API_TOKEN, 'memory_database_free_bytes'), []);
    const onDisk = await withDriver(t, { freeBytes: () => 1000 });
    assert.equal(await read('memory_database_free_bytes', {}, onDisk), 1000);
  },
  TeamMemoryTeamsAtQuota: async () => {
    assert.equal(await read('memory_teams_near_quota', { share: '1' }), 0);
    const quota = { chunks: 0, bytes: null };
    await company.ask.renameTeam(company.teamId, { quota });
    assert.equal(await read('memory_teams_near_quota', { share: '1' }), 1);
  },
  TeamMemoryGuessing: async (t) => {
    const app = await openSecondApp(t, service, service.url);
    await via(
      app,
      callerOf(service.app, { ...company.headers, authorization: 'Bearer wrong' }),
    ).ask.getSession();
    const payload = { email: company.ownerEmail, password: 'wrong' };
    await app.app.inject({ method: 'POST', url: '/v1/auth/login', payload });
    assert.equal(await read('memory_unauthenticated_total', {}, app), 1);
    assert.equal(await read('memory_failed_sign_ins_total', {}, app), 1);
  },
};

describe('what an alert watches', () => {
  for (const [alert, breaks] of Object.entries(BREAKS)) {
    test(`the metric of ${alert} changes when it breaks`, breaks);
  }

  test('every alert has a test here', () => {
    assert.deepEqual(
      readAlerts().map(({ alert }) => alert),
      Object.keys(BREAKS),
    );
  });
});
