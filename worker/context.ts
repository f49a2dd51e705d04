import type { Job } from 'pg-boss';
import type { Database } from '../db/driver/database.ts';
import type { BlobStore } from '../db/queries/workspace/blobs.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Config } from '../shared/config.ts';
import type { Logger } from '../shared/logger.ts';
import type { Payload, QueueName } from '../shared/queues.ts';
import type { ModelClient } from './embedder/model-client.ts';
import type { Pace } from './embedder/pace.ts';
import type { ReadingPool } from './sandbox/reading-pool.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  config: Config;
  database: Database;
  blobs: BlobStore;
  queue: JobQueue;
  logger: Logger;
}

/** What every job works with. */
export interface JobContext extends WorkerSetup {
  readingPool: ReadingPool;
  /** What makes vectors, and how fast; null where the service makes none. */
  embedder: { model: ModelClient; pace: Pace } | null;
  /** Aborts when the worker has waited long enough for what runs: a job that hears of it gives itself back. */
  stopping: AbortSignal;
  /** How long a file can be read while another Company waits, in milliseconds; null: to its end. */
  giveWayAfterMs: number | null;
}

/**
 * Does one job. The slow part first, outside any transaction; then one transaction with the rows and
 * `queue.settle`, so that the effect and the end of the job are one. A job that throws is tried again.
 */
export type JobHandler<Q extends QueueName> = (job: Job<Payload<Q>>, context: JobContext) => Promise<void>;
