import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pg-boss';
import { transaction, withoutScope } from '../../db/driver/database.ts';
import { addJobCounts, type JobCount, listJobCounts } from '../../db/queries/status.ts';
import { openQueue } from '../../db/queue/queue.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { DURATION_BOUNDS, JOB_OUTCOMES } from '../../shared/queues.ts';
import { jobScope } from '../../shared/scope.ts';
import type { JobContext, JobHandler } from '../../worker/context.ts';
import { jobTally, runJob } from '../../worker/run-job.ts';
import { startWorker } from '../../worker/worker.ts';
import { column } from '../support/columns.ts';
import { databaseError, failingDatabase } from '../support/failing-database.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { until } from '../support/process-table.ts';

/** Its own: the tally is of the whole service, and no worker but those here takes a job. */
const service = await openOwnTestApp();
const { database, queue } = service;
const logger = createLogger('silent', 'test');

const QUEUE = 'keywords.count';
const company = await service.company();
const payload = { companyId: company.companyId, teamId: company.teamId, userId: company.ownerId };
const scope = jobScope({ ...payload, layerId: company.teamId });

const written = () => withoutScope(database, listJobCounts);
const jobsOf = (counts: readonly JobCount[], outcome: string, name = QUEUE) =>
  counts.filter((count) => count.queue === name && count.outcome === outcome).map(({ jobs }) => jobs);

describe('a tally of jobs', () => {
  test('distinguishes jobs by queue, outcome and duration', () => {
    const tally = jobTally();
    for (const seconds of [0.001, 0.01, 0.2, 5000]) tally.count('import.process', 'completed', seconds);
    tally.count('import.process', 'failed', 1);
    tally.count('audit.seal', 'completed', 2);
    const counts = tally.drain();
    const durations = (...places: number[]) => {
      const none = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
      for (const place of places) none[place] = (none[place] ?? 0) + 1;
      return none;
    };
    assert.deepEqual(counts, [
      {
        queue: 'import.process',
        outcome: 'completed',
        jobs: 4,
        seconds: 5000.211,
        durations: durations(0, 0, 3, DURATION_BOUNDS.length),
      },
      { queue: 'import.process', outcome: 'failed', jobs: 1, seconds: 1, durations: durations(4) },
      { queue: 'audit.seal', outcome: 'completed', jobs: 1, seconds: 2, durations: durations(5) },
    ]);
    assert.deepEqual(tally.drain(), []);
  });
});

describe('the written counts', () => {
  test('are the sum over all workers, even if several write at once', async () => {
    const seconds = DURATION_BOUNDS.map((bound) => bound);
    const counted = () => {
      const tally = jobTally();
      for (const outcome of JOB_OUTCOMES)
        for (const each of seconds) tally.count('team.purge', outcome, each);
      // Two that name the same in another order would else wait for each other.
      return Math.random() < 0.5 ? tally.drain() : tally.drain().reverse();
    };
    await Promise.all(Array.from({ length: 12 }, () => addJobCounts(database, counted())));
    const counts = (await written()).filter((count) => count.queue === 'team.purge');
    assert.deepEqual(counts.map(({ outcome }) => outcome).sort(), JOB_OUTCOMES.toSorted());
    for (const { jobs, durations, seconds: total } of counts) {
      assert.equal(jobs, 12 * seconds.length);
      assert.deepEqual(durations, [...seconds.map(() => 12), 0]);
      assert.ok(Math.abs(total - 12 * seconds.reduce((sum, each) => sum + each, 0)) < 1e-6);
    }
  });
});

describe('a job', () => {
  const passOn = (job: Job<never>) =>
    database.query('update pgboss.job set retry_count = retry_count + 1 where id = $1', [job.id]);
  const end =
    (how: 'complete' | 'release' | 'releaseAsLong', isLost = false): JobHandler<typeof QUEUE> =>
    async (job, context) => {
      if (isLost) await passOn(job as Job<never>);
      await transaction(context.database, scope, (tx) => context.queue[how](tx, QUEUE, job));
    };
  const throwing: JobHandler<typeof QUEUE> = async () => {
    throw new Error('no');
  };
  /** What a handler does, as what it counts, and what the queue is told. */
  const endings: Readonly<Record<string, [handle: JobHandler<typeof QUEUE>, counted: string, told: string]>> =
    {
      'counts as completed when it ends': [end('complete'), 'completed', 'completed'],
      'counts as failed when it throws': [throwing, 'failed', 'failed'],
      'counts as lost when another worker has it': [end('complete', true), 'lost', 'failed'],
      'counts as released when it releases itself': [end('release'), 'given_back', 'completed'],
      'counts as released when it releases itself as long': [end('releaseAsLong'), 'given_back', 'completed'],
      'counts as lost when it cannot release itself': [end('release', true), 'lost', 'failed'],
    };
  for (const [title, [handle, counted, told]] of Object.entries(endings)) {
    test(title, async () => {
      await transaction(database, scope, (tx) => queue.enqueue(tx, QUEUE, payload));
      const [job] = await queue.boss.fetch<never>(QUEUE, { includeMetadata: true });
      assert.ok(job);
      const tally = jobTally();
      const context = { ...service, logger, stopping: new AbortController().signal } as unknown as JobContext;
      const said = await runJob(QUEUE, handle, job as Job<never>, context, tally);
      await queue.boss.deleteJob(QUEUE, job.id);
      assert.deepEqual([...column(tally.drain(), 'outcome'), said.status], [counted, told]);
    });
  }
});

describe('a worker', () => {
  /** Runs a worker until these jobs are done, and stops it. */
  async function work(t: { signal: AbortSignal }, payloads: readonly object[], on = database): Promise<void> {
    const own = await openQueue({
      database,
      databaseUrl: service.url ?? null,
      supervise: true,
      logger,
      drainMs: 15_000,
    });
    const ids = await Promise.all(
      payloads.map((data) => queue.boss.send(QUEUE, data, { retryLimit: 0, singletonKey: newId() })),
    );
    const worker = await startWorker({ ...service, database: on, queue: own, logger });
    try {
      await until(t.signal, async () => {
        const left = await database.query(
          `select from pgboss.job where id = any ($1::uuid[]) and state < 'completed'`,
          [ids],
        );
        return left.length === 0;
      });
    } finally {
      await worker.stop();
    }
  }

  test('has written all its counts when it stops', async (t) => {
    await work(t, [payload, { wrong: 'payload' }]);
    const counts = await written();
    assert.deepEqual([jobsOf(counts, 'completed'), jobsOf(counts, 'failed')], [[1], [1]]);
  });

  test('stops even if its counts cannot be written', async (t) => {
    const before = await written();
    const failing = failingDatabase(database, (text) =>
      text.includes('memory.job_tally') ? databaseError('57P01') : null,
    );
    await work(t, [payload], failing);
    assert.deepEqual(jobsOf(await written(), 'completed'), jobsOf(before, 'completed'));
  });
});
