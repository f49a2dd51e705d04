import type { Database } from '../db/driver/database.ts';
import { addJobCounts } from '../db/queries/jobs/job-tally.ts';
import { deleteWorker, recordWorker } from '../db/queries/jobs/workers.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Logger } from '../shared/logger.ts';
import type { QueueName } from '../shared/queues.ts';
import type { EmbedderState } from '../shared/schemas/status.ts';
import { coalesceRuns } from './coalesce-runs.ts';
import type { JobTally } from './tally.ts';

const HEARTBEAT_INTERVAL_MS = 10_000;
/** The longest wait for the answer of the queue before a heartbeat. */
const QUEUE_TIMEOUT_MS = 5000;

/** Records in the database that a worker is running, at intervals and when something changes. */
export interface Heartbeat {
  /** Records the current state. */
  beat(): void;
  /** Records that the worker makes no more vectors, so that searches do not wait for a worker that drains. */
  drain(): void;
  /** Deletes the record of the worker, and stores the counts of its last jobs. */
  stop(): Promise<void>;
}

interface Setup {
  database: Database;
  queue: Pick<JobQueue, 'check'>;
  logger: Logger;
  id: string;
  queues: readonly QueueName[];
  tally: JobTally;
  /** The state of its model; null if it makes no vectors. */
  embedder: () => EmbedderState | null;
  /** The memory of its child processes. */
  childBytes: () => number;
  /** Is called after each heartbeat that the database has stored. */
  recorded?: () => void;
}

/** Stores the first heartbeat, and then one every ten seconds. */
export async function startHeartbeat(setup: Setup): Promise<Heartbeat> {
  const { database, queue, logger, id, queues, tally } = setup;
  let isDraining = false;
  const record = async () => {
    try {
      // Uses the queue's own connections: a worker that cannot dequeue jobs must not count as running.
      await queue.check(QUEUE_TIMEOUT_MS);
      const embedder = isDraining ? null : setup.embedder();
      const rssBytes = process.memoryUsage.rss() + setup.childBytes();
      await recordWorker(database, { id, queues, rssBytes, embedder });
      setup.recorded?.();
    } catch (error) {
      logger.warn({ err: error }, 'worker heartbeat failed');
    }
  };
  const count = async () => {
    const ended = tally.drain();
    try {
      await addJobCounts(database, ended);
    } catch (error) {
      tally.restore(ended);
      logger.warn({ err: error }, 'job counts could not be stored');
    }
  };
  const recording = coalesceRuns(record);
  // Stored separately: all workers update the same counts, and one that hangs must not block the heartbeats of others.
  const counting = coalesceRuns(count);
  await record();
  const timer = setInterval(() => {
    recording.request();
    counting.request();
  }, HEARTBEAT_INTERVAL_MS);
  return {
    beat: () => recording.request(),
    drain: () => {
      isDraining = true;
      recording.request();
    },
    stop: async () => {
      clearInterval(timer);
      // A heartbeat that is still running would record the worker again after its deletion.
      await recording.done();
      await deleteWorker(database, id).catch(() => undefined);
      await counting.done();
      await count();
    },
  };
}
