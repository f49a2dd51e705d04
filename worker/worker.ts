import type { Job, WorkOptions } from 'pg-boss';
import { addJobCounts } from '../db/queries/job-tally.ts';
import { deleteWorker, recordWorker } from '../db/queries/workers.ts';
import { newId } from '../shared/ids.ts';
import type { QueueName } from '../shared/queues.ts';
import type { JobContext, JobHandler, WorkerSetup } from './context.ts';
import { openReadingPool, type ReadingOptions } from './extract/reading-pool.ts';
import { HANDLERS, SCHEDULES, TAKERS } from './registry.ts';
import { runJob } from './run-job.ts';
import { type JobTally, jobTally } from './tally.ts';

/**
 * How jobs are taken: each by one of several takers, so that a long one holds up no other. NOTIFY wakes them at
 * once; where jobs are waiting, each job done wakes the first taker again. The others look again at once while some
 * are known to wait, which is counted every 15 seconds, and by the poll otherwise.
 */
const WORK: WorkOptions & { perJobResults: true } = {
  batchSize: 1,
  perJobResults: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 1,
  burstWhenReadyExceeds: 1,
};

const BEAT_MS = 10_000;

export interface RunningWorker {
  readonly id: string;
  /** Takes no more jobs, finishes those that run, and says that it has gone. */
  stop(): Promise<void>;
}

/** Does the jobs of every queue, in this process. */
export async function startWorker(setup: WorkerSetup, reading: ReadingOptions = {}): Promise<RunningWorker> {
  const { config, database, queue, logger } = setup;
  const bounds = { seconds: config.importSeconds, megabytes: config.importMegabytes };
  const readingPool = openReadingPool(bounds, reading);
  const stopping = new AbortController();
  const context: JobContext = { ...setup, readingPool, stopping: stopping.signal };
  const id = newId();
  const names = Object.keys(HANDLERS) as QueueName[];
  const tally = jobTally();
  for (const name of names) await takeJobs(name, context, tally);
  for (const [name, cron] of Object.entries(SCHEDULES)) await queue.boss.schedule(name, cron, {});

  // Written apart from the beat: all workers add to the same counts, and one that hangs would keep the others from
  // saying that they live.
  const writeTally = async () => {
    const ended = tally.take();
    try {
      await addJobCounts(database, ended);
    } catch (error) {
      tally.putBack(ended);
      throw error;
    }
  };
  const beat = async () => {
    try {
      await recordWorker(database, { id, queues: names, rssBytes: process.memoryUsage.rss() });
      await writeTally();
    } catch (error) {
      logger.warn({ err: error }, 'the worker could not say that it lives, or how its jobs ended');
    }
  };
  await beat();
  let lastBeat = Promise.resolve();
  const timer = setInterval(() => {
    lastBeat = beat();
  }, BEAT_MS);
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
        // One that is still under way would say afterwards that the worker lives.
        await lastBeat;
        await deleteWorker(database, id).catch(() => undefined);
        await writeTally().catch(() => undefined);
      })()),
  };
}

async function takeJobs<Q extends QueueName>(name: Q, context: JobContext, tally: JobTally): Promise<void> {
  const handle = HANDLERS[name] as JobHandler<Q>;
  const { boss } = context.queue;
  const takers = TAKERS[name];
  // One taker is left to others: a Team's thousand imports must not keep another's waiting.
  const share = takers > 1 ? { localConcurrency: takers, localGroupConcurrency: takers - 1 } : {};
  let firstTaker = '';
  firstTaker = await boss.work(name, { ...WORK, ...share }, async (jobs: Job<never>[]) => {
    const results = await Promise.all(jobs.map((job) => runJob(name, handle, job, context, tally)));
    boss.notifyWorker(firstTaker);
    return results;
  });
}
