import type { Dependencies } from '../../../core/dependencies.ts';
import type { Database } from '../../../db/driver/database.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { QueueName } from '../../../shared/queues.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import type { TestApp } from '../../support/app.ts';

/** What a run of a job did. */
export interface Run {
  completed: QueueName[];
  /** The queue and the Team of each job that it enqueued. */
  enqueued: string[];
  /** What it logged of level info, without messages. */
  lines: Record<string, unknown>[];
  /** With which error it ended; null if with none. */
  error: unknown;
}

/** Runs a job by the worker's own handler, with a queue that only notes what it is told. */
export async function runJob(
  service: TestApp & Dependencies,
  queue: QueueName,
  { data = {}, on = service.database, stopping = new AbortController().signal } = {},
): Promise<Run> {
  const run: Run = { completed: [], enqueued: [], lines: [], error: null };
  const context = {
    ...service,
    database: on,
    stopping,
    logger: Object.assign(createLogger('silent', 'test'), {
      info: (line: Run['lines'][number]) => void run.lines.push(line),
    }),
    queue: {
      complete: async (_tx: unknown, name: QueueName) => void run.completed.push(name),
      enqueue: async (_tx: unknown, name: QueueName, { teamId = '' }: { teamId?: string }) =>
        void run.enqueued.push(`${name} ${teamId}`.trim()),
      send: async () => undefined,
    },
  };
  const job = { id: newId(), data, signal: new AbortController().signal };
  try {
    await HANDLERS[queue](job as never, context as never);
  } catch (error) {
    run.error = error;
  }
  return run;
}

/** How many rows each transaction of a job removed, of those that are counted. */
export async function removedInSlices(
  database: Database,
  count: () => Promise<number>,
  run: (watched: Database) => Promise<unknown>,
): Promise<number[]> {
  const left = [await count()];
  await run({
    ...database,
    transaction: async (fn, opening) => {
      const done = await database.transaction(fn, opening);
      left.push(await count());
      return done;
    },
  });
  return left.slice(1).map((now, index) => left[index]! - now);
}
