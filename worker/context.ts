import type { Job } from 'pg-boss';
import type { Database } from '../db/driver/database.ts';
import type { BlobStore } from '../db/queries/workspace/contents.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Config } from '../shared/config.ts';
import type { Logger } from '../shared/logger.ts';
import type { Payload, QueueName } from '../shared/queues.ts';
import type { ModelClient } from './embedder/model-client.ts';
import type { Pace } from './embedder/text-lanes.ts';
import type { Mailer } from './mail/mailer.ts';
import type { ReadingPool } from './sandbox/reading-pool.ts';

/** The dependencies of a worker. */
export interface WorkerSetup {
  config: Config;
  database: Database;
  blobs: BlobStore;
  queue: JobQueue;
  logger: Logger;
}

/** The dependencies of every job. */
export interface JobContext extends WorkerSetup {
  readingPool: ReadingPool;
  /** The model that makes vectors, and its speed; null if the service makes none. */
  embedder: { model: ModelClient; pace: Pace } | null;
  /** Sends mails; null if the settings name no mail server. */
  mailer: Mailer | null;
  /** Aborts when a worker that stops has waited long enough for its jobs. A job that sees this releases itself. */
  stopping: AbortSignal;
  /** How long a file can be read while another Company waits, in milliseconds; null: without limit. */
  yieldAfterMs: number | null;
}

/**
 * Runs one job. The slow part comes first, outside any transaction. Then one transaction writes the rows and calls
 * `queue.complete`, so that the effect and the end of the job are committed together. A job that throws is retried.
 */
export type JobHandler<Q extends QueueName> = (job: Job<Payload<Q>>, context: JobContext) => Promise<void>;
