import type { Job, WorkOptions } from 'pg-boss';
import { LONG_JOB_TURN } from '../db/queue/pg-boss-jobs.ts';
import type { Config } from '../shared/config.ts';
import { newId } from '../shared/ids.ts';
import {
  EMBEDDING_QUEUES,
  MODEL_QUEUES,
  QUEUE_NAMES,
  type QueueName,
  queueDefinition,
} from '../shared/queues.ts';
import { withTimeout } from '../shared/resources/async.ts';
import type { EmbedderState } from '../shared/schemas/status.ts';
import type { JobContext, JobHandler, WorkerSetup } from './context.ts';
import { openModelClient } from './embedder/model-client.ts';
import { configuredModel, type ModelClientOptions } from './embedder/model-client-options.ts';
import { pace } from './embedder/text-lanes.ts';
import { startHeartbeat } from './heartbeat.ts';
import { type ModelJobs, openModelJobs } from './jobs/embeddings.ts';
import { openMailer } from './mail/mailer.ts';
import { HANDLERS, scheduleJobs } from './registry.ts';
import { type JobTally, jobTally, runJob } from './run-job.ts';
import { openReadingPool, type ReadingOptions, type ReadingPool } from './sandbox/reading-pool.ts';

/**
 * How jobs are dequeued. Several consumers dequeue one job each, so that a long job does not delay others. NOTIFY wakes
 * them at once. While jobs are waiting, each completed job wakes the first consumer again. The other consumers dequeue again
 * at once if jobs are known to wait (they are counted every 15 seconds), and otherwise poll.
 */
const WORK: WorkOptions & { perJobResults: true } = {
  batchSize: 1,
  perJobResults: true,
  pollingIntervalSeconds: 0.5,
  notifyPollingIntervalSeconds: 1,
  burstWhenReadyExceeds: 1,
};

/** The time for recording that the worker stops, in addition to the time for draining. */
const LAST_HEARTBEAT_MS = 1000;

export interface RunningWorker {
  readonly id: string;
  /** Stops dequeuing, completes the running jobs, and records that the worker has stopped. */
  stop(): Promise<void>;
}

/** Options that differ from the defaults. */
export interface WorkerOptions {
  reading?: ReadingOptions;
  model?: Partial<ModelClientOptions>;
  /** How long a file can be read while another Company waits, in milliseconds. */
  yieldAfterMs?: number;
  /** Is called after each heartbeat that the database has stored. */
  recorded?: () => void;
}

/** Long enough for nearly every file, and short enough for a Company whose import waits. */
const YIELD_AFTER_MS = 3000;

/** Runs the jobs of every queue in this process. */
export async function startWorker(
  setup: WorkerSetup,
  { reading = {}, model = {}, yieldAfterMs = YIELD_AFTER_MS, recorded = () => undefined }: WorkerOptions = {},
): Promise<RunningWorker> {
  const { config, database, queue, logger } = setup;
  const bounds = { seconds: config.importSeconds, megabytes: config.importMegabytes };
  const readingPool = openReadingPool(bounds, reading);
  void logConfinement(readingPool, logger);
  const stopping = new AbortController();
  let changed = (): void => undefined;
  const embedder = openEmbedder(setup, { changed: () => changed(), ...model });
  const context: JobContext = {
    ...setup,
    readingPool,
    embedder,
    mailer: openMailer(config),
    stopping: stopping.signal,
    yieldAfterMs,
  };
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
    recorded,
  });
  const modelJobs = startModelJobs(context, tally);
  changed = () => {
    // Searches read the heartbeat to find out whether a worker can make their vectors.
    heartbeat.beat();
    modelJobs.adjust();
  };
  changed();
  let stopped: Promise<void> | null = null;
  return {
    id,
    stop: () =>
      (stopped ??= (async () => {
        const begun = performance.now();
        changed = () => undefined;
        heartbeat.drain();
        // Jobs that are not completed in half of the time are released in the other half, so that they do not fail.
        const releaseTimer = setTimeout(() => stopping.abort(), queue.drainMs / 2);
        await modelJobs.stop();
        // Stops dequeuing and waits for the running jobs.
        await queue.stop();
        clearTimeout(releaseTimer);
        await readingPool.close();
        await embedder?.model.close();
        // If the database does not answer, the record of the worker expires by itself.
        const left = Math.max(
          LAST_HEARTBEAT_MS,
          begun + queue.drainMs + LAST_HEARTBEAT_MS - performance.now(),
        );
        await withTimeout(left, heartbeat.stop(), 'the last heartbeat was not stored').catch(
          (error: unknown) =>
            logger.warn({ err: error }, 'the database did not record that the worker stops'),
        );
      })()),
  };
}

/** Logs once which confinement the processes that read files have on this machine. */
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
  return { model: openModelClient({ ...configuredModel(config), logger, ...options }), pace: pace() };
}

function embedderState({ embedder, config }: JobContext): EmbedderState | null {
  if (embedder === null) return null;
  const chunksPerMinute = embedder.pace.perMinute();
  return { model: config.embeddingModel, ...embedder.model.state(), chunksPerMinute };
}

function startModelJobs(context: JobContext, tally: JobTally): ModelJobs {
  const { embedder, queue, logger } = context;
  return openModelJobs({
    logger,
    isReady: () => embedder?.model.state().state === 'ready',
    startDequeuing: async () => {
      for (const name of MODEL_QUEUES) await startJobs(name, context, tally);
    },
    stopDequeuing: async () => {
      for (const name of MODEL_QUEUES) await queue.boss.offWork(name, { wait: false });
    },
  });
}

async function startJobs<Q extends QueueName>(name: Q, context: JobContext, tally: JobTally): Promise<void> {
  const { concurrency, longJobConcurrency } = queueDefinition(name);
  if (longJobConcurrency === undefined)
    return startConsumers(name, { localConcurrency: concurrency }, context, tally);
  // pg-boss has one limit for each group of a queue, and the last call sets it. So the consumers of long jobs start first.
  const ofLong = { localConcurrency: longJobConcurrency, maxPriority: LONG_JOB_TURN };
  await startConsumers(name, ofLong, { ...context, yieldAfterMs: null }, tally);
  // The other consumers also run long jobs, but only if no short job waits.
  await startConsumers(name, { localConcurrency: concurrency }, context, tally);
}

async function startConsumers<Q extends QueueName>(
  name: Q,
  consumers: Pick<WorkOptions, 'maxPriority'> & { localConcurrency: number },
  context: JobContext,
  tally: JobTally,
): Promise<void> {
  const handle = HANDLERS[name] as JobHandler<Q>;
  const { boss } = context.queue;
  const { concurrencyPerCompany } = queueDefinition(name);
  const share =
    concurrencyPerCompany === undefined
      ? {}
      : { localGroupConcurrency: Math.min(concurrencyPerCompany, consumers.localConcurrency) };
  let firstConsumer = '';
  firstConsumer = await boss.work(name, { ...WORK, ...consumers, ...share }, async (jobs: Job<never>[]) => {
    const results = await Promise.all(jobs.map((job) => runJob(name, handle, job, context, tally)));
    boss.notifyWorker(firstConsumer);
    return results;
  });
}
