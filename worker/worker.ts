import type { Job, WorkOptions } from 'pg-boss';
import { deleteWorker, recordWorker } from '../db/queries/workers.ts';
import { LostJobError } from '../db/queue.ts';
import { newId } from '../shared/ids.ts';
import { assertPayload, type QueueName } from '../shared/queues.ts';
import type { JobContext, JobHandler, WorkerSetup } from './context.ts';
import { openReadingPool } from './extract/reading-pool.ts';
import { HANDLERS, SCHEDULES, TAKERS } from './registry.ts';

/**
 * How jobs are taken: each by one of several takers, so that a long one holds up no other. NOTIFY wakes them at
 * once; where jobs are waiting, each job done wakes the first taker again, and the poll the others.
 */
const WORK: WorkOptions & { perJobResults: true } = {
  batchSize: 1,
  perJobResults: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 1,
};

const BEAT_MS = 10_000;

export interface RunningWorker {
  readonly id: string;
  /** Takes no more jobs, finishes those that run, and says that it has gone. */
  stop(): Promise<void>;
}

/** Does the jobs of every queue, in this process. */
export async function startWorker(setup: WorkerSetup): Promise<RunningWorker> {
  const { config, database, queue, logger } = setup;
  const readingPool = openReadingPool({ seconds: config.importSeconds, megabytes: config.importMegabytes });
  const stopping = new AbortController();
  const context: JobContext = { ...setup, readingPool, stopping: stopping.signal };
  const id = newId();
  const names = Object.keys(HANDLERS) as QueueName[];
  for (const name of names) await takeJobs(name, context);
  for (const [name, cron] of Object.entries(SCHEDULES)) await queue.boss.schedule(name, cron, {});

  const beat = async () => {
    try {
      await recordWorker(database, { id, queues: names, rssBytes: process.memoryUsage.rss() });
    } catch (error) {
      logger.warn({ err: error }, 'the worker could not say that it lives');
    }
  };
  await beat();
  const timer = setInterval(() => void beat(), BEAT_MS);
  let stopped: Promise<void> | null = null;
  return {
    id,
    stop: () =>
      (stopped ??= (async () => {
        clearInterval(timer);
        // What is not done in half of the time is given back in the other, so that nothing counts as failed.
        const patience = setTimeout(() => stopping.abort(), queue.drainMs / 2);
        // Stops taking jobs and waits for those that run.
        await queue.stop();
        clearTimeout(patience);
        await readingPool.close();
        await deleteWorker(database, id).catch(() => undefined);
      })()),
  };
}

async function takeJobs<Q extends QueueName>(name: Q, context: JobContext): Promise<void> {
  const handle = HANDLERS[name] as JobHandler<Q>;
  const { boss } = context.queue;
  const takers = TAKERS[name];
  // One taker is left to others: a Team's thousand imports must not keep another's waiting.
  const share = takers > 1 ? { localConcurrency: takers, localGroupConcurrency: takers - 1 } : {};
  let firstTaker = '';
  firstTaker = await boss.work(name, { ...WORK, ...share }, async (jobs: Job<never>[]) => {
    const results = await Promise.all(jobs.map((job) => run(name, handle, job, context)));
    boss.notifyWorker(firstTaker);
    return results;
  });
}

/** Runs one job and says how it ended. A job that settled itself is done already, whatever is said here. */
async function run<Q extends QueueName>(
  name: Q,
  handle: JobHandler<Q>,
  job: Job<never>,
  context: JobContext,
) {
  const logger = context.logger.child({ queue: name, jobId: job.id });
  const began = performance.now();
  try {
    assertPayload(name, job.data);
    await handle(job, { ...context, logger });
    logger.info({ ms: Math.round(performance.now() - began) }, 'job done');
    return { id: job.id, status: 'completed' as const };
  } catch (error) {
    if (error instanceof LostJobError) logger.warn('the job was taken over by another worker');
    else logger.error({ err: error }, 'job failed');
    // What pg-boss keeps of a failed job is shown to operators: no message, which might repeat a value.
    return { id: job.id, status: 'failed' as const, output: { message: 'see the log of the worker' } };
  }
}
