import type { Job, WorkOptions } from 'pg-boss';
import { withoutScope } from '../db/database.ts';
import { addJobCounts } from '../db/queries/job-tally.ts';
import { deleteWorker, recordWorker } from '../db/queries/workers.ts';
import type { Config } from '../shared/config.ts';
import { newId } from '../shared/ids.ts';
import type { QueueName } from '../shared/queues.ts';
import type { JobContext, JobHandler, WorkerSetup } from './context.ts';
import { type ModelClientOptions, openModelClient } from './embedder/model-client.ts';
import { pace } from './embedder/pace.ts';
import { openReadingPool, type ReadingOptions } from './extract/reading-pool.ts';
import { HANDLERS, OF_SERVER_EMBEDDINGS, OF_THE_MODEL, SCHEDULES, TAKERS } from './registry.ts';
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

/** How a worker works where it is not as usual. */
export interface WorkerOptions {
  reading?: ReadingOptions;
  model?: Partial<ModelClientOptions>;
}

/** Does the jobs of every queue, in this process. */
export async function startWorker(
  setup: WorkerSetup,
  { reading = {}, model = {} }: WorkerOptions = {},
): Promise<RunningWorker> {
  const { config, database, queue, logger } = setup;
  const bounds = { seconds: config.importSeconds, megabytes: config.importMegabytes };
  const readingPool = openReadingPool(bounds, reading);
  const stopping = new AbortController();
  let changed = (): void => undefined;
  const embedder = openEmbedder(setup, { changed: () => changed(), ...model });
  const context: JobContext = { ...setup, readingPool, embedder, stopping: stopping.signal };
  const id = newId();
  const names = queuesOf(config);
  const tally = jobTally();
  for (const name of names.filter((name) => !OF_THE_MODEL.includes(name)))
    await takeJobs(name, context, tally);
  await schedule(setup, names);

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
      await recordWorker(database, {
        id,
        queues: names,
        rssBytes: process.memoryUsage.rss(),
        // While it drains, searches should not wait for it.
        embedder:
          embedder === null || stopped !== null
            ? null
            : { ...embedder.model.state(), chunksPerMinute: embedder.pace.perMinute() },
      });
      await writeTally();
    } catch (error) {
      logger.warn({ err: error }, 'the worker could not say that it lives, or how its jobs ended');
    }
  };
  let stopped: Promise<void> | null = null;
  await beat();
  let lastBeat = Promise.resolve();
  const beatAgain = () => {
    const before = lastBeat;
    // Not one after the other: one that hangs must not hold up the next.
    lastBeat = beat().then(() => before);
  };
  const timer = setInterval(beatAgain, BEAT_MS);
  // Searches learn from this whether there is someone to ask.
  changed = beatAgain;
  if (embedder !== null) beatAgain();
  const modelTaken = takeModelJobs(context, tally);
  return {
    id,
    stop: () =>
      (stopped ??= (async () => {
        clearInterval(timer);
        changed = () => undefined;
        // In a moment: it is known then that it stops.
        if (embedder !== null) setImmediate(beatAgain);
        // What is not done in half of the time is given back in the other, so that nothing counts as failed.
        const patience = setTimeout(() => stopping.abort(), queue.drainMs / 2);
        // Stops taking jobs and waits for those that run.
        await queue.stop();
        clearTimeout(patience);
        stopping.abort();
        await readingPool.close();
        await embedder?.model.close();
        await modelTaken;
        // One that is still under way would say afterwards that the worker lives.
        await lastBeat;
        await deleteWorker(database, id).catch(() => undefined);
        await writeTally().catch(() => undefined);
      })()),
  };
}

function queuesOf({ serverEmbeddings }: Config): QueueName[] {
  const all = Object.keys(HANDLERS) as QueueName[];
  return serverEmbeddings ? all : all.filter((name) => !OF_SERVER_EMBEDDINGS.includes(name));
}

function openEmbedder(
  { config, logger }: WorkerSetup,
  options: Partial<ModelClientOptions>,
): JobContext['embedder'] {
  if (!config.serverEmbeddings) return null;
  const { embeddingModel: name, modelDir, modelHub: hub, embeddingProfile: profile } = config;
  const model = { name, modelDir, hub, profile };
  const megabytes = config.embeddingMegabytes;
  return { model: openModelClient({ model, megabytes, logger, ...options }), pace: pace() };
}

/** Jobs that need the model wait in the queue until it is ready: another worker may have it. */
async function takeModelJobs(context: JobContext, tally: JobTally): Promise<void> {
  const { embedder, stopping, logger } = context;
  if (embedder === null) return;
  await embedder.model.ready;
  if (stopping.aborted) return;
  try {
    for (const name of OF_THE_MODEL) await takeJobs(name, context, tally);
  } catch (error) {
    logger.error({ err: error }, 'the jobs of the model cannot be taken');
  }
}

/** What is to be done at intervals; of which some is to be done now, after what may be a change of settings. */
async function schedule({ queue, database }: WorkerSetup, names: readonly QueueName[]): Promise<void> {
  for (const [name, cron] of Object.entries(SCHEDULES)) {
    if (names.includes(name as QueueName)) await queue.boss.schedule(name, cron, {});
    else await queue.boss.unschedule(name);
  }
  for (const name of ['embeddings.backfill', 'embed.waiting'] as const) {
    if (names.includes(name)) await withoutScope(database, (tx) => queue.send(tx, name, {}));
  }
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
