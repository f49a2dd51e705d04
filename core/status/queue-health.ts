import { withoutScope } from '../../db/driver/database.ts';
import { hasStalledJobs } from '../../db/queue/pg-boss-figures.ts';
import { MODEL_QUEUES, QUEUE_NAMES } from '../../shared/queues.ts';
import { memoizeFor } from '../../shared/resources/memoize-for.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long the queue may take to answer. */
const PATIENCE_MS = 2000;
/** How long an answer is told again: many ask, and it changes within minutes. */
const KEPT_MS = 1000;

/** Not those whose jobs wait on purpose while no worker has its model ready: the status of the model shows that. */
const WATCHED = QUEUE_NAMES.filter((name) => !MODEL_QUEUES.includes(name));

/** Whether the queue works: it answers by its own connections, and jobs that are ready are run. */
export function queueHealthReader({
  database,
  queue,
  logger,
}: Pick<Dependencies, 'database' | 'queue' | 'logger'>): () => Promise<boolean> {
  const answers = async () => {
    try {
      await queue.check(PATIENCE_MS);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the queue does not answer');
      return false;
    }
  };
  return memoizeFor(KEPT_MS, async () => {
    const [isAnswering, isStalled] = await Promise.all([
      answers(),
      withoutScope(database, (tx) => hasStalledJobs(tx, WATCHED)),
    ]);
    return isAnswering && !isStalled;
  });
}
