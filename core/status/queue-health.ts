import { withoutScope } from '../../db/driver/database.ts';
import { hasStalledJobs } from '../../db/queue/pg-boss-figures.ts';
import { MODEL_QUEUES, QUEUE_NAMES } from '../../shared/queues.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long to wait for an answer of the queue. */
const QUEUE_TIMEOUT_MS = 2000;
/** How long the result is cached: many callers poll it, and it changes within minutes, not seconds. */
const CACHE_MS = 1000;

/** Without the queues whose jobs wait on purpose until a model is ready. The status of the model shows that. */
const WATCHED_QUEUES = QUEUE_NAMES.filter((name) => !MODEL_QUEUES.includes(name));

/** Whether the queue works: it answers on its own connections, and ready jobs are run. */
export function queueHealthReader({
  database,
  queue,
  logger,
}: Pick<Dependencies, 'database' | 'queue' | 'logger'>): () => Promise<boolean> {
  const answers = async () => {
    try {
      await queue.check(QUEUE_TIMEOUT_MS);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the queue does not answer');
      return false;
    }
  };
  return memoizeFor(CACHE_MS, async () => {
    const [isAnswering, isStalled] = await Promise.all([
      answers(),
      withoutScope(database, (tx) => hasStalledJobs(tx, WATCHED_QUEUES)),
    ]);
    return isAnswering && !isStalled;
  });
}
