import type { Database } from '../../db/driver/database.ts';
import { type BlobStore, databaseBlobs } from '../../db/queries/workspace/contents.ts';
import { readConfig } from '../../shared/config.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/logger.ts';
import type { QueueName } from '../../shared/queues.ts';
import type { JobContext } from '../../worker/context.ts';
import { openMailer } from '../../worker/mail/mailer.ts';
import { HANDLERS } from '../../worker/registry.ts';
import { openReadingPool } from '../../worker/sandbox/reading-pool.ts';

/**
 * Does a job by the worker's own handler, without a queue: what is completed is noted, and what is sent goes nowhere.
 * @param env settings of the worker
 * @returns the queues in which it completed a job
 */
export async function doJob(
  database: Database,
  queue: QueueName,
  data: object,
  env: Record<string, string> = {},
  blobs: BlobStore = databaseBlobs(database),
): Promise<QueueName[]> {
  const completed: QueueName[] = [];
  const config = readConfig({ MEMORY_API_TOKEN: 'test-token-of-the-service', ...env });
  const readingPool = openReadingPool({ seconds: config.importSeconds, megabytes: config.importMegabytes });
  const context = {
    config,
    database,
    blobs,
    logger: createLogger('silent', 'test'),
    queue: {
      complete: async (_tx: unknown, name: QueueName) => void completed.push(name),
      enqueue: async () => undefined,
      assertRunning: async () => undefined,
    } as unknown as JobContext['queue'],
    readingPool,
    embedder: null,
    mailer: openMailer(config),
    stopping: new AbortController().signal,
    yieldAfterMs: null,
  };
  try {
    await HANDLERS[queue]({ id: newId(), data, signal: new AbortController().signal } as never, context);
  } finally {
    await readingPool.close();
  }
  return completed;
}
