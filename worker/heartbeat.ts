import { closeSync, constants, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../db/driver/database.ts';
import { addJobCounts, deleteWorker, recordWorker } from '../db/queries/status.ts';
import type { JobQueue } from '../db/queue/queue.ts';
import type { Logger } from '../shared/logger.ts';
import type { QueueName } from '../shared/queues.ts';
import type { EmbedderState } from '../shared/schemas/status.ts';
import { coalesceRuns, type JobTally } from './run-job.ts';

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

/** Three heartbeats. The database deletes a worker after the same time. */
const FRESH_MS = 30_000;

const PREFIX = 'team-memory-worker-';

/** A file that a worker process writes at each heartbeat, for the health check of its container. */
export interface HeartbeatFile {
  /** Records that the worker has just stored a heartbeat in the database. */
  readonly beat: () => void;
  /** Records that the worker has stopped. */
  readonly remove: () => void;
}

/**
 * Returns the heartbeat file of this process. What an earlier process with the same id has left is removed, because every
 * main process of a container has the same id. A file that cannot be written is logged once: the worker runs without it.
 * @param folder where it is written: the folder for temporary files, which a container has even if it can write nowhere else
 */
export function heartbeatFile(logger: Pick<Logger, 'warn'>, folder = tmpdir()): HeartbeatFile {
  const file = join(folder, `${PREFIX}${process.pid}`);
  let hasFailed = false;
  const attempt = (change: () => void) => {
    try {
      change();
    } catch (err) {
      if (!hasFailed)
        logger.warn({ err }, 'the health check of the worker fails: its file cannot be written');
      hasFailed = true;
    }
  };
  const remove = () => attempt(() => rmSync(file, { force: true }));
  remove();
  // The folder can belong to everyone: no link that another user has put there is followed.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const beat = () => {
    const descriptor = openSync(file, flags, 0o600);
    try {
      writeSync(descriptor, `${new Date().toISOString()}\n`);
    } finally {
      // On a full disk the write fails at each heartbeat.
      closeSync(descriptor);
    }
  };
  return { beat: () => attempt(beat), remove };
}

/** Whether a process runs. One of another user counts, because a signal to it is refused and not lost. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

/**
 * Checks the workers of this container: one runs at least, and each that runs has stored a heartbeat within 30 seconds.
 * Files of other users and of processes that have ended are ignored.
 */
export function checkHeartbeatFiles(
  folder = tmpdir(),
  now = Date.now(),
): { isHealthy: boolean; text: string } {
  const workers = readdirSync(folder)
    .filter((name) => name.startsWith(PREFIX))
    .flatMap((name) => {
      const pid = Number(name.slice(PREFIX.length));
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      const isOwn = found?.isFile() === true && found.uid === process.getuid?.();
      return isOwn && Number.isSafeInteger(pid) && pid > 0 && isRunning(pid)
        ? [{ pid, ageMs: Math.abs(now - found.mtimeMs) }]
        : [];
    });
  if (workers.length === 0) {
    return { isHealthy: false, text: 'no worker has stored a heartbeat here: see the log of the worker' };
  }
  const late = workers.filter(({ ageMs }) => ageMs > FRESH_MS);
  const name = ({ pid, ageMs }: { pid: number; ageMs: number }) =>
    `process ${pid}, ${Math.round(ageMs / 1000)} seconds ago`;
  return late.length === 0
    ? { isHealthy: true, text: `healthy: the last heartbeat was of ${workers.map(name).join('; ')}` }
    : {
        isHealthy: false,
        text: `no heartbeat for ${FRESH_MS / 1000} seconds: the last was of ${late.map(name).join('; ')}. See the log of the worker`,
      };
}
