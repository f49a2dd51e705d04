import type { Job, WorkOptions } from 'pg-boss';
import { LONG_TURN } from '../db/queue/pg-boss-jobs.ts';
import type { Config } from '../shared/config.ts';
import { newId } from '../shared/ids.ts';
import {
  EMBEDDING_QUEUES,
  MODEL_QUEUES,
  QUEUE_NAMES,
  type QueueName,
  queueDefinition,
} from '../shared/queues.ts';
import { within } from '../shared/resources/within.ts';
import type { EmbedderState } from '../shared/schemas/status.ts';
import type { JobContext, JobHandler, WorkerSetup } from './context.ts';
import { openModelClient } from './embedder/model-client.ts';
import type { ModelClientOptions } from './embedder/model-client-options.ts';
import { pace } from './embedder/pace.ts';
import { startHeartbeat } from './heartbeat.ts';
import { type ModelJobs, modelJobs } from './model-jobs.ts';
import { HANDLERS } from './registry.ts';
import { runJob } from './run-job.ts';
import { openReadingPool, type ReadingOptions, type ReadingPool } from './sandbox/reading-pool.ts';
import { scheduleJobs } from './schedules.ts';
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

/** How long the record that a worker stops may take, beyond the time for draining. */
const LAST_WORD_MS = 1000;

export interface RunningWorker {
  readonly id: string;
  /** Takes no more jobs, finishes those that run, and says that it has gone. */
  stop(): Promise<void>;
}

/** How a worker works where it is not as usual. */
export interface WorkerOptions {
  reading?: ReadingOptions;
  model?: Partial<ModelClientOptions>;
  /** How long a file can be read while another Company waits, in milliseconds. */
  giveWayAfterMs?: number;
}

/** Long enough for nearly every file, and short enough for a Company that waits: its import begins then. */
const GIVE_WAY_AFTER_MS = 3000;

/** Does the jobs of every queue, in this process. */
export async function startWorker(
  setup: WorkerSetup,
  { reading = {}, model = {}, giveWayAfterMs = GIVE_WAY_AFTER_MS }: WorkerOptions = {},
): Promise<RunningWorker> {
  const { config, database, queue, logger } = setup;
  const bounds = { seconds: config.importSeconds, megabytes: config.importMegabytes };
  const readingPool = openReadingPool(bounds, reading);
  void logConfinement(readingPool, logger);
  const stopping = new AbortController();
  let changed = (): void => undefined;
  const embedder = openEmbedder(setup, { changed: () => changed(), ...model });
  const context: JobContext = { ...setup, readingPool, embedder, stopping: stopping.signal, giveWayAfterMs };
  const id = newId();
  const queues = queuesOf(config);
  const tally = jobTally();
  for (const name of queues) if (!MODEL_QUEUES.includes(name)) await startJobs(name, context, tally);
  await scheduleJobs(setup, queues);
  const heartbeat = await startHeartbeat({
    database,
    queue,
    logger,
    id,
    queues,
    tally,
    embedder: () => embedderState(context),
    childBytes: () => embedder?.model.rssBytes() ?? 0,
  });
  const ofTheModel = startModelJobs(context, tally);
  changed = () => {
    // Searches learn from this whether there is someone to ask.
    heartbeat.beat();
    ofTheModel.adjust();
  };
  changed();
  let stopped: Promise<void> | null = null;
  return {
    id,
    stop: () =>
      (stopped ??= (async () => {
        const begun = performance.now();
        changed = () => undefined;
        heartbeat.leave();
        // What is not done in half of the time is given back in the other, so that nothing counts as failed.
        const patience = setTimeout(() => stopping.abort(), queue.drainMs / 2);
        await ofTheModel.stop();
        // Stops taking jobs and waits for those that run.
        await queue.stop();
        clearTimeout(patience);
        await readingPool.close();
        await embedder?.model.close();
        // Where the database does not answer, the record of the worker lapses by itself.
        const left = Math.max(LAST_WORD_MS, begun + queue.drainMs + LAST_WORD_MS - performance.now());
        await within(left, heartbeat.stop(), 'the last heartbeat was not stored').catch((error: unknown) =>
          logger.warn({ err: error }, 'the database did not record that the worker stops'),
        );
      })()),
  };
}

/** Says once how well the processes that read files are confined here, which depends on the machine. */
async function logConfinement({ confinement }: ReadingPool, logger: JobContext['logger']): Promise<void> {
  try {
    const { name, network } = await confinement;
    const reach = network === 'forbidden' ? 'cannot reach' : 'can reach';
    logger.info({ confinement: name, network }, `processes that read files ${reach} the network`);
  } catch (error) {
    logger.error({ err: error }, 'processes that read files cannot be started; imports will fail');
  }
}

function queuesOf({ serverEmbeddings }: Config): readonly QueueName[] {
  return serverEmbeddings ? QUEUE_NAMES : QUEUE_NAMES.filter((name) => !EMBEDDING_QUEUES.includes(name));
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

function embedderState({ embedder, config }: JobContext): EmbedderState | null {
  if (embedder === null) return null;
  const chunksPerMinute = embedder.pace.perMinute();
  return { model: config.embeddingModel, ...embedder.model.state(), chunksPerMinute };
}

function startModelJobs(context: JobContext, tally: JobTally): ModelJobs {
  const { embedder, queue, logger } = context;
  return modelJobs({
    logger,
    isReady: () => embedder?.model.state().state === 'ready',
    take: async () => {
      for (const name of MODEL_QUEUES) await startJobs(name, context, tally);
    },
    leave: async () => {
      for (const name of MODEL_QUEUES) await queue.boss.offWork(name, { wait: false });
    },
  });
}

async function startJobs<Q extends QueueName>(name: Q, context: JobContext, tally: JobTally): Promise<void> {
  const { concurrency, longJobConcurrency } = queueDefinition(name);
  if (longJobConcurrency === undefined)
    return startTakers(name, { localConcurrency: concurrency }, context, tally);
  // pg-boss has one limit for each group of a queue, that of the last call: so the long jobs come first.
  const ofLong = { localConcurrency: longJobConcurrency, maxPriority: LONG_TURN };
  await startTakers(name, ofLong, { ...context, giveWayAfterMs: null }, tally);
  // The others take long jobs too where no other waits, which come first.
  await startTakers(name, { localConcurrency: concurrency }, context, tally);
}

async function startTakers<Q extends QueueName>(
  name: Q,
  takers: Pick<WorkOptions, 'maxPriority'> & { localConcurrency: number },
  context: JobContext,
  tally: JobTally,
): Promise<void> {
  const handle = HANDLERS[name] as JobHandler<Q>;
  const { boss } = context.queue;
  const { concurrencyPerCompany } = queueDefinition(name);
  const share =
    concurrencyPerCompany === undefined
      ? {}
      : { localGroupConcurrency: Math.min(concurrencyPerCompany, takers.localConcurrency) };
  let firstTaker = '';
  firstTaker = await boss.work(name, { ...WORK, ...takers, ...share }, async (jobs: Job<never>[]) => {
    const results = await Promise.all(jobs.map((job) => runJob(name, handle, job, context, tally)));
    boss.notifyWorker(firstTaker);
    return results;
  });
}
