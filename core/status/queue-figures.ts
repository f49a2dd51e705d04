import { type Database, withoutScope } from '../../db/driver/database.ts';
import { countJobs, listPasts } from '../../db/queue/pg-boss-figures.ts';
import { QUEUE_NAMES } from '../../shared/queues.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { QueueStatus } from '../../shared/schemas/status.ts';

/** How long a past is told again, in milliseconds: pg-boss adds to it every 15 seconds. */
const PAST_KEPT_MS = 10_000;

/**
 * Reads how every queue stands now, and its last hour, which costs three times as much and is kept for a while:
 * many look at it at once, and again and again. Service-wide: only for those with Full access.
 */
export function queueReader(database: Database): () => Promise<QueueStatus[]> {
  const readPasts = memoizeFor(PAST_KEPT_MS, () =>
    withoutScope(database, (tx) => listPasts(tx, QUEUE_NAMES)),
  );
  return async () => {
    const [pasts, figures] = await Promise.all([
      readPasts(),
      withoutScope(database, (tx) => countJobs(tx, QUEUE_NAMES)),
    ]);
    const historyOf = new Map(pasts.map(({ queue, history }) => [queue, history]));
    return figures.map((now) => ({ ...now, history: historyOf.get(now.queue) ?? [] }));
  };
}
