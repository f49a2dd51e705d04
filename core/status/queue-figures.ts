import { type Database, withoutScope } from '../../db/driver/database.ts';
import { countJobs, listPasts } from '../../db/queue/pg-boss-figures.ts';
import { QUEUE_NAMES } from '../../shared/queues.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { QueueStatus } from '../../shared/schemas/status.ts';

/** How long the history is cached, in milliseconds. pg-boss adds to it every 15 seconds. */
const HISTORY_CACHE_MS = 10_000;

/**
 * Reads the state and the last hour of every queue. The history costs three times as much to read and is cached,
 * because many callers poll it. The figures are of the whole service: only for callers with Full access.
 */
export function queueReader(database: Database): () => Promise<QueueStatus[]> {
  const readHistories = memoizeFor(HISTORY_CACHE_MS, () =>
    withoutScope(database, (tx) => listPasts(tx, QUEUE_NAMES)),
  );
  return async () => {
    const [histories, figures] = await Promise.all([
      readHistories(),
      withoutScope(database, (tx) => countJobs(tx, QUEUE_NAMES)),
    ]);
    const historyOf = new Map(histories.map(({ queue, history }) => [queue, history]));
    return figures.map((now) => ({ ...now, history: historyOf.get(now.queue) ?? [] }));
  };
}
