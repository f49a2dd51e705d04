import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import type { PostgresTimeouts } from '../../db/driver/postgres-pool.ts';
import { type JobQueue, openQueue } from '../../db/queue/queue.ts';
import { createLogger } from '../../shared/logger.ts';
import type { Status } from '../../shared/schemas/status.ts';
import { type RunningWorker, startWorker } from '../../worker/worker.ts';
import { buildTestApp, type SignedIn, type TestApp } from '../support/app.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { createPreparedDatabase } from '../support/needs/own-database.ts';
import { importTexts, isOver, untilImport } from '../support/running-imports.ts';
import { openTcpProxy, type TcpProxy, through } from './tcp-proxy.ts';

/** The timeouts of the service, but shorter. */
const TIMEOUTS: PostgresTimeouts = {
  connect: 2000,
  connectWhileUnresponsive: 500,
  lock: 1000,
  statement: 1500,
  query: 2000,
};
const logger = createLogger('silent', 'test');

/** The network drops everything on the open connections. */
function swallowAll(proxy: TcpProxy): void {
  for (const connection of proxy.connections) connection.swallow();
}

describe('database connections that the network has dropped silently', {
  skip: databaseUrl === undefined && 'on PostgreSQL',
}, () => {
  let own: Awaited<ReturnType<typeof createPreparedDatabase>>;
  /** The proxies of the API, of its queue and of the worker. */
  let [proxy, queueProxy, workerProxy]: TcpProxy[] = [];
  let service: TestApp & { close(): Promise<void> };
  let company: SignedIn;

  const open = async () => {
    const { hostname: host, port } = new URL(own.url);
    return openTcpProxy({ host, port: Number(port) });
  };
  const openThrough = (to: TcpProxy): Database =>
    openPostgres(through(own.url, to), logger, { timeouts: TIMEOUTS });

  before(async () => {
    own = await createPreparedDatabase(databaseUrl ?? '');
    [proxy, queueProxy, workerProxy] = await Promise.all([open(), open(), open()]);
    const database = openThrough(proxy);
    const queueUrl = through(own.url, queueProxy);
    service = await buildTestApp(database, through(own.url, proxy), {}, { timeouts: TIMEOUTS, queueUrl });
    company = await service.company();
  });
  after(async () => {
    await service.close();
    for (const each of [proxy, queueProxy, workerProxy]) await each?.close();
    await own.drop();
  });

  const status = () => company.ask.getStatus();
  /** Makes the pool open several connections, which are idle afterwards. */
  const warmUp = async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, status));
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 200),
    );
  };

  it('the API returns 503 for the request that meets one, and 200 for the next request', async () => {
    await warmUp();
    assert.ok(proxy);
    assert.ok(proxy.connections.length > 2, 'several are idle');
    swallowAll(proxy);
    const failed = await status();
    assert.equal(failed.statusCode, 503, failed.body);
    assert.equal(failed.json<{ code: string }>().code, 'unavailable');
    const answered = await status();
    assert.equal(answered.statusCode, 200, answered.body);
  });

  it('the API returns 503 while new connections get no answer, and 200 as soon as they do', async () => {
    await warmUp();
    assert.ok(proxy);
    proxy.onNew('swallow');
    swallowAll(proxy);
    const answers = await Promise.all([...Array.from({ length: 12 }, status), service.app.inject('/readyz')]);
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 503),
    );
    proxy.onNew('pass');
    for (const connection of proxy.connections) connection.cut();
    while ((await status()).statusCode !== 200) await pause(100);
    assert.equal((await service.app.inject('/readyz')).statusCode, 200);
  });

  it('status reports that the queue of the API does not answer, and later that it does again', async (t) => {
    const queueAnswers = async () => (await status()).json<Status>().health.queue;
    assert.equal(await queueAnswers(), true);
    assert.ok(queueProxy);
    queueProxy.onNew('swallow');
    swallowAll(queueProxy);
    while (await queueAnswers()) await pause(100, undefined, { signal: t.signal });
    queueProxy.onNew('pass');
    for (const connection of queueProxy.connections) connection.cut();
    while (!(await queueAnswers())) await pause(100, undefined, { signal: t.signal });
  });

  describe('connections of a worker', () => {
    let worker: RunningWorker;
    let queue: JobQueue;
    let database: Database;
    before(async () => {
      assert.ok(workerProxy);
      database = openThrough(workerProxy);
      queue = await openQueue({
        database,
        databaseUrl: through(own.url, workerProxy),
        supervise: true,
        logger,
        drainMs: 1000,
        timeouts: TIMEOUTS,
      });
      worker = await startWorker({ ...service, database, queue, logger } as never);
    });

    it('the connections of a worker are replaced, and later imports complete', async (t) => {
      const complete = async (text: string) => {
        const [id] = await importTexts(company, [text]);
        assert.equal((await untilImport(company, id, t.signal, isOver)).state, 'completed');
      };
      await complete('before the network fails');
      assert.ok(workerProxy);
      swallowAll(workerProxy);
      await complete('after the network failed');
    });

    it('dead connections do not prevent a worker from stopping', async () => {
      assert.ok(workerProxy);
      workerProxy.onNew('swallow');
      swallowAll(workerProxy);
      await worker.stop();
      await database.close();
    });
  });
});
