import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { via } from '../support/client/client.ts';
import { doJob } from '../support/do-job.ts';
import {
  adopt,
  assertEmbedded,
  chunkVectors,
  numbered,
  openEmbeddingService,
  storeTexts,
} from '../support/embedding-service.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { endProcesses, type ServiceProcess, startMain } from '../support/needs/process.ts';
import { childrenOf, commandOf, until } from '../support/process-table.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { TEST_MODEL } from '../support/test-model.ts';

after(endProcesses);

const NEXT_MODEL = 'memory/test-small-next';

/** Enough chunks for a second or two, so that a worker is killed while it makes vectors. */
const CHUNKS = 200;
const texts = () => numbered(CHUNKS, 'a text that takes a while '.repeat(40));

/** Stops or continues a process and its children. */
function signalGroup({ child }: ServiceProcess, signal: 'SIGSTOP' | 'SIGCONT'): void {
  assert.ok(child.pid);
  process.kill(-child.pid, signal);
}

const opened = databaseUrl === undefined ? null : await openEmbeddingService([TEST_MODEL, NEXT_MODEL]);

describe('a worker process that makes vectors', {
  skip: databaseUrl === undefined && 'the embedded database has one process',
}, () => {
  if (opened === null) return;
  const service = opened;
  const { database } = service;
  const env = { ...service.env, MEMORY_DATABASE_URL: service.url ?? '' };

  async function startWorker(settings: Record<string, string> = {}): Promise<ServiceProcess> {
    const worker = startMain('worker/main.ts', { env: { ...env, ...settings } });
    await worker.line(/"msg":"the model is ready"/);
    return worker;
  }

  async function stop(worker: ServiceProcess): Promise<void> {
    worker.child.kill('SIGTERM');
    assert.equal(await worker.exited, 0, [...worker.stdout, ...worker.stderr].join('\n'));
  }

  /** Waits until this many chunks have vectors and a slice of others is being processed. */
  async function untilUnderWay(
    signal: AbortSignal,
    company: { teamId: string },
    made: number,
  ): Promise<void> {
    await until(signal, async () => {
      const chunks = await chunkVectors(service, company);
      return chunks.some(({ leased }) => leased) && chunks.filter(({ marked }) => !marked).length >= made;
    });
  }

  /** Makes the running jobs look as if their workers had no heartbeat for a long time. */
  async function silence(): Promise<void> {
    await database.query(
      `update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where name = 'embed.chunks' and state = 'active'`,
    );
    // By itself it looks for such jobs every 15 seconds.
    await service.queue.boss.supervise('embed.chunks');
  }

  /**
   * Stops all workers while one makes vectors.
   * @param within whether it can be in a transaction: if frozen there, it blocks others until the database ends it
   */
  async function freeze(
    signal: AbortSignal,
    company: { teamId: string },
    workers: readonly ServiceProcess[],
    within: 'transaction or not' | 'no transaction',
  ): Promise<void> {
    await until(signal, async () => {
      await untilUnderWay(signal, company, 40);
      for (const worker of workers) signalGroup(worker, 'SIGSTOP');
      // Statements that the server has already received are completed first.
      await until(signal, async () => (await sessions(['active'])) === 0);
      const held = within === 'no transaction' && !(await staysIdle());
      const underWay = (await chunkVectors(service, company)).some(({ leased }) => leased);
      if (underWay && !held) return true;
      for (const worker of workers) signalGroup(worker, 'SIGCONT');
      return false;
    });
  }

  /**
   * Whether no other connection is in a transaction, now and a little later: a whole transaction can be sent at once,
   * and a server that has not yet read it looks idle.
   */
  async function staysIdle(): Promise<boolean> {
    for (let looks = 0; looks < 5; looks++) {
      if ((await sessions(['active', 'idle in transaction', 'idle in transaction (aborted)'])) > 0)
        return false;
      await setTimeout(50);
    }
    return true;
  }

  /** How many other connections are in one of these states. */
  async function sessions(states: readonly string[]): Promise<number> {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = any($1)`,
      [states],
    );
    return row?.n ?? 0;
  }

  async function untilDone(signal: AbortSignal, company: { teamId: string }): Promise<void> {
    await until(signal, async () => (await chunkVectors(service, company)).every(({ marked }) => !marked));
    await assertEmbedded(service, company);
  }

  test('a worker killed during a slice loses no vector, and none is made a second time', {
    timeout: 120_000,
  }, async (t) => {
    const company = await service.company();
    const victims = [await startWorker(), await startWorker()];
    await storeTexts(company, texts());
    // They are frozen first: otherwise one could complete its slice while the other is killed.
    await freeze(t.signal, company, victims, 'transaction or not');
    for (const victim of victims) await victim.kill9();
    const left = (await chunkVectors(service, company)).filter(({ leased }) => leased);
    assert.ok(left.length > 0, 'it was killed during a slice');
    await silence();
    const other = await startWorker();
    await untilDone(t.signal, company);
    await stop(other);
  });

  test('a frozen worker writes nothing after another worker has taken over its slice', {
    timeout: 120_000,
  }, async (t) => {
    const company = await service.company();
    const frozen = await startWorker();
    await storeTexts(company, texts());
    await freeze(t.signal, company, [frozen], 'no transaction');
    await silence();
    const other = await startWorker();
    await untilDone(t.signal, company);
    const written = 'select chunk_id, xmin::text from memory.chunk_embedding order by 1';
    const before = await database.query(written);
    signalGroup(frozen, 'SIGCONT');
    await frozen.line(/"queue":"embed.chunks".*(taken over|job failed)/);
    assert.deepEqual(await database.query(written), before);
    await Promise.all([stop(frozen), stop(other)]);
  });

  test('a worker releases its leases on SIGTERM, so that another worker continues at once', {
    timeout: 120_000,
  }, async (t) => {
    const company = await service.company();
    const stopped = await startWorker();
    await storeTexts(company, texts());
    await untilUnderWay(t.signal, company, 40);
    await stop(stopped);
    const chunks = await chunkVectors(service, company);
    assert.ok(chunks.every(({ leased, marked, models }) => !leased && marked === (models.length === 0)));
    const other = await startWorker();
    await untilDone(t.signal, company);
    await stop(other);
  });

  test('a change of the model goes on after a stop and a kill -9 of the process of the model, with two workers', {
    timeout: 120_000,
  }, async (t) => {
    const company = await service.company();
    const before = await startWorker();
    await storeTexts(company, texts());
    await untilDone(t.signal, company);
    await stop(before);

    const nextEnv = { MEMORY_EMBEDDING_MODEL: NEXT_MODEL };
    await adopt(database, NEXT_MODEL);
    const stopped = await startWorker(nextEnv);
    await until(t.signal, async () => (await countVectors(company, NEXT_MODEL)) >= 20);
    await stop(stopped);
    const made = await countVectors(company, NEXT_MODEL);
    assert.ok(made < CHUNKS, 'it was stopped in the middle');
    // The API of the new model finds the passages by words until they have their new vector.
    const config = { ...service.config, embeddingModel: NEXT_MODEL };
    const next = { app: await buildTestedApp({ ...service, config }) };
    t.after(() => next.app.close());
    const query = { query: 'a text that takes a while', scope: {}, embeddingMode: 'auto' as const };
    const { hits, degraded } = await via(next, company).api.searchMemory(query);
    assert.deepEqual([hits.length > 0, degraded], [true, true]);

    const workers = await Promise.all([startWorker(nextEnv), startWorker(nextEnv)]);
    await until(t.signal, async () => (await countVectors(company, NEXT_MODEL)) > made);
    const models = workers.flatMap(({ child }) => childrenOf(child.pid ?? 0));
    const [killed] = models.filter((pid) => commandOf(pid).includes('model-process'));
    assert.ok(killed);
    process.kill(killed, 'SIGKILL');
    await until(t.signal, async () => (await chunkVectors(service, company)).every(({ marked }) => !marked));
    assert.equal(await countVectors(company, NEXT_MODEL), CHUNKS);
    await doJob(database, 'embeddings.backfill', {}, { ...env, ...nextEnv });
    await assertEmbedded(service, company, NEXT_MODEL);
    for (const worker of workers) await stop(worker);
  });

  async function countVectors(company: { teamId: string }, model: string): Promise<number> {
    return (await chunkVectors(service, company)).filter(({ models }) => models.includes(model)).length;
  }
});
