import type { Database } from '../db/driver/database.ts';
import { addJobCounts } from '../db/queries/jobs/job-tally.ts';
import { deleteWorker, recordWorker } from '../db/queries/jobs/workers.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Logger } from '../shared/logger.ts';
import type { QueueName } from '../shared/queues.ts';
import type { EmbedderState } from '../shared/schemas/status.ts';
import { latest } from './latest.ts';
import type { JobTally } from './tally.ts';

const BEAT_MS = 10_000;
/** How long the queue may take to answer before a heartbeat. */
const QUEUE_PATIENCE_MS = 5000;

/** What a worker says of itself, at intervals and when something changes. */
export interface Heartbeat {
  /** Says how it stands now. */
  beat(): void;
  /** Says that it makes no more vectors: searches should not wait for one that drains. */
  leave(): void;
  /** Says that it has gone, and how its last jobs ended. */
  stop(): Promise<void>;
}

interface Setup {
  database: Database;
  queue: Pick<JobQueue, 'check'>;
  logger: Logger;
  id: string;
  queues: readonly QueueName[];
  tally: JobTally;
  /** How its model stands; null where it makes no vectors. */
  embedder: () => EmbedderState | null;
  /** Of the processes that work for it. */
  childBytes: () => number;
}

/** Says for the first time that the worker lives, and then every ten seconds. */
export async function startHeartbeat(setup: Setup): Promise<Heartbeat> {
  const { database, queue, logger, id, queues, tally } = setup;
  let leaving = false;
  const record = async () => {
    try {
      // By the queue's own connections: a worker that cannot take jobs must not count as one that lives.
      await queue.check(QUEUE_PATIENCE_MS);
      const embedder = leaving ? null : setup.embedder();
      const rssBytes = process.memoryUsage.rss() + setup.childBytes();
      await recordWorker(database, { id, queues, rssBytes, embedder });
    } catch (error) {
      logger.warn({ err: error }, 'worker heartbeat failed');
    }
  };
  const count = async () => {
    const ended = tally.take();
    try {
      await addJobCounts(database, ended);
    } catch (error) {
      tally.putBack(ended);
      logger.warn({ err: error }, 'the worker could not say how its jobs ended');
    }
  };
  const recording = latest(record);
  // Apart: all workers add to the same counts, and one that hangs would keep the others from saying that they live.
  const counting = latest(count);
  await record();
  const timer = setInterval(() => {
    recording.ask();
    counting.ask();
  }, BEAT_MS);
  return {
    beat: () => recording.ask(),
    leave: () => {
      leaving = true;
      recording.ask();
    },
    stop: async () => {
      clearInterval(timer);
      // One that is still under way would say afterwards that the worker lives.
      await recording.done();
      await deleteWorker(database, id).catch(() => undefined);
      await counting.done();
      await count();
    },
  };
}
