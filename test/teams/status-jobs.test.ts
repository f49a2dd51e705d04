import assert from 'node:assert/strict';
import { describe, it, type TestContext, test } from 'node:test';
import type { JobQueue } from '../../db/queue/queue.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import { QUEUES } from '../../shared/queues.ts';
import { startHeartbeat } from '../../worker/heartbeat.ts';
import { jobTally } from '../../worker/run-job.ts';
import { API_TOKEN } from '../support/app.ts';
import { callerOf, via } from '../support/client/client.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { readStatus } from '../support/team.ts';

/** A service of its own, with one Company: status covers all jobs and workers, and other tests have theirs. */
const service = await openOwnTestApp();
const { database } = service;
const company = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}` });
// pg-boss stores its figures in one table per day, and the tests write figures of the days before the first one.
const [{ oldest } = { oldest: '' }] = await database.query<{ oldest: string }>(
  `select min(right(relname, 8)) as oldest from pg_class
   where relnamespace = 'pgboss'::regnamespace and relname ~ '^queue_stats_[0-9]{8}$' and relkind = 'r'`,
);
await database.query(
  `create table pgboss.queue_stats_past partition of pgboss.queue_stats for values from (minvalue) to ('${oldest} 00:00:00+00')`,
);

const MINUTE = 60_000;
const QUEUE = 'import.process';

const told = () => readStatus(company);
const queueOf = async (name: string) => (await told()).jobs.find(({ queue }) => queue === name)!;

interface GivenJob {
  state: 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';
  /** In seconds from now. */
  createdOn?: number;
  startAfter?: number;
}

async function addJobs(queue: string, jobs: readonly GivenJob[]): Promise<void> {
  for (const { state, createdOn = 0, startAfter = createdOn } of jobs) {
    await database.query(
      `insert into pgboss.job (name, state, created_on, start_after, policy)
       values ($1, $2::pgboss.job_state, now() + make_interval(secs => $3), now() + make_interval(secs => $4), 'standard')`,
      [queue, state, createdOn, startAfter],
    );
  }
}

interface Note {
  /** When the figures were taken, and until when the completed jobs were counted. */
  at: Date;
  countedUntil?: Date;
  ready?: number;
  active?: number;
  completed?: number;
  failed?: number;
  seconds?: number;
}

/** The figures of a queue that pg-boss stores every 15 seconds. */
async function addNotes(queue: string, notes: readonly Note[]): Promise<void> {
  for (const note of notes) {
    await database.query(
      `insert into pgboss.queue_stats (name, captured_on, delta_on, ready_count, active_count, completed_delta, failed_delta,
              delta_seconds) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        queue,
        note.at,
        note.countedUntil ?? null,
        note.ready ?? 0,
        note.active ?? 0,
        note.completed ?? null,
        note.failed ?? null,
        note.seconds ?? null,
      ],
    );
  }
}

test('status reports worker false and empty figures before any worker or job has run', async () => {
  const { health, workers, jobs } = await told();
  assert.deepEqual([health.worker, workers], [false, []]);
  assert.deepEqual(jobs.map(({ queue }) => queue).sort(), Object.keys(QUEUES).sort());
  for (const { queue: _, ...figures } of jobs) {
    assert.deepEqual(figures, {
      ready: 0,
      deferred: 0,
      active: 0,
      failed: 0,
      completedPerMinute: 0,
      oldestReadyAgeSeconds: null,
      history: [],
    });
  }
});

test('status shows a worker for 30 seconds after its last heartbeat', async () => {
  const id = newId();
  const speak = (secondsAgo: number) =>
    database.query(
      `insert into memory.worker (id, queues, rss_bytes, last_seen_at)
       values ($1, '{import.process}', 1000, now() - make_interval(secs => $2))
       on conflict (id) do update set last_seen_at = excluded.last_seen_at`,
      [id, secondsAgo],
    );
  await speak(20);
  const { health, workers } = await told();
  assert.deepEqual([health.worker, workers.map((worker) => worker.id)], [true, [id]]);
  await speak(31);
  const { health: later, workers: none } = await told();
  assert.deepEqual([later.worker, none], [false, []]);
});

test('status counts jobs by state and gives the age of the oldest ready job', async () => {
  await addJobs(QUEUE, [
    { state: 'created', createdOn: -90 },
    { state: 'created', createdOn: -300, startAfter: -40 },
    { state: 'retry', createdOn: -500, startAfter: -10 },
    { state: 'created', startAfter: 600 },
    { state: 'retry', createdOn: -900, startAfter: 30 },
    { state: 'active', createdOn: -1000 },
    ...(['completed', 'cancelled', 'failed', 'failed', 'failed'] as const).map((state) => ({
      state,
      createdOn: -2000,
    })),
  ]);
  const { oldestReadyAgeSeconds, history: _, ...figures } = await queueOf(QUEUE);
  assert.deepEqual(figures, {
    queue: QUEUE,
    ready: 3,
    deferred: 2,
    active: 1,
    failed: 3,
    completedPerMinute: 0,
  });
  assert.ok(oldestReadyAgeSeconds !== null && oldestReadyAgeSeconds >= 90 && oldestReadyAgeSeconds < 400);
  const { ready, active, failed } = await queueOf('import.dead');
  assert.deepEqual([ready, active, failed], [0, 0, 0]);
});

test('status gives the peaks and the totals of each of the last sixty minutes', async (t) => {
  const [{ now } = { now: new Date() }] = await database.query<{ now: Date }>('select now() as now');
  const minute = (ago: number) => new Date(Math.floor(now.getTime() / MINUTE) * MINUTE - ago * MINUTE);
  const at = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000);
  const [first, second, third] = [minute(20), minute(19), minute(2)];
  await addNotes('upkeep.prune', [
    { at: at(first, 5), ready: 7, active: 1 },
    {
      at: at(first, 50),
      countedUntil: at(first, 40),
      ready: 4,
      active: 3,
      completed: 6,
      failed: 1,
      seconds: 45,
    },
    // Counted until before the minute began, so it belongs to the minute before.
    { at: at(second, 5), countedUntil: at(first, 55), ready: 2, completed: 5, failed: 0, seconds: 15 },
    { at: at(second, 20), countedUntil: at(second, 10), ready: 9, completed: 1, failed: 2, seconds: 15 },
    // The minute before has no figures, so the counts belong to the minute of this row.
    { at: at(third, 2), countedUntil: at(third, -8), ready: 1, completed: 3, failed: 0, seconds: 1000 },
  ]);
  await addNotes('audit.seal', [{ at: new Date(now.getTime() - 61 * MINUTE), ready: 5 }]);
  // A process caches the history for some seconds; this one has not read it yet.
  const app = await buildTestedApp(service);
  t.after(() => app.close());
  const { jobs } = await readStatus(via({ app }, company));
  const historyOf = (name: string) => jobs.find(({ queue }) => queue === name)?.history;
  const history = historyOf('upkeep.prune');
  assert.deepEqual(history, [
    { at: first.toISOString(), ready: 7, active: 3, completed: 11, failed: 1 },
    { at: second.toISOString(), ready: 9, active: 0, completed: 1, failed: 2 },
    { at: third.toISOString(), ready: 1, active: 0, completed: 3, failed: 0 },
  ]);
  assert.deepEqual(historyOf('audit.seal'), []);
});

describe('the health of the queue', () => {
  /** A process caches the health for a second; this one has not read it yet. */
  const healthNow = async (t: TestContext) => {
    const app = await buildTestedApp(service);
    t.after(() => app.close());
    return (await readStatus(via({ app }, company))).health;
  };

  it('health.queue is false while a job is ready for over a minute and none of its queue runs or ends', async (t) => {
    assert.equal((await healthNow(t)).queue, true);
    await addJobs('workspace.prune', [{ state: 'created', createdOn: -50 }]);
    assert.equal((await healthNow(t)).queue, true, 'it waits for less than a minute');
    await addJobs('workspace.prune', [{ state: 'retry', createdOn: -500, startAfter: -70 }]);
    assert.deepEqual(await healthNow(t), { ok: false, database: true, queue: false, worker: false });
    await addNotes('workspace.prune', [{ at: new Date(), completed: 1, failed: 0, seconds: 15 }]);
    assert.equal((await healthNow(t)).queue, true, 'one ended of late');
    await database.query(`delete from pgboss.queue_stats where name = 'workspace.prune'`);
    assert.equal((await healthNow(t)).queue, false);
    await addJobs('workspace.prune', [{ state: 'active', createdOn: -500 }]);
    assert.equal((await healthNow(t)).queue, true, 'one runs');
    await database.query(`delete from pgboss.job where name = 'workspace.prune'`);
  });

  it('health.queue does not depend on jobs that wait for the model', async (t) => {
    await addJobs('embed.chunks', [{ state: 'created', createdOn: -900 }]);
    assert.equal((await healthNow(t)).queue, true);
  });

  it('health.queue is false while the queue does not answer', async (t) => {
    const silent: JobQueue = { ...service.queue, check: () => Promise.reject(new Error('no answer')) };
    const app = await buildTestedApp({ ...service, queue: silent });
    t.after(() => app.close());
    const { health } = await readStatus(via({ app }, company));
    assert.deepEqual([health.ok, health.queue], [false, false]);
  });

  it('health.worker counts a worker only when the queue of that worker answers', async (t) => {
    const start = async (queue: Pick<JobQueue, 'check'>) => {
      const heartbeat = await startHeartbeat({
        database,
        queue,
        logger: createLogger('silent', 'test'),
        id: newId(),
        queues: [QUEUE],
        tally: jobTally(),
        embedder: () => null,
        childBytes: () => 0,
      });
      t.after(() => heartbeat.stop());
    };
    await start({ check: () => Promise.reject(new Error('no answer')) });
    assert.equal((await healthNow(t)).worker, false);
    await start(service.queue);
    assert.deepEqual(await healthNow(t), { ok: true, database: true, queue: true, worker: true });
  });
});
