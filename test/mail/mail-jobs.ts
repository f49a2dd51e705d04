import { createLogger } from '../../shared/logger.ts';
import type { QueueName } from '../../shared/queues.ts';
import type { JobContext } from '../../worker/context.ts';
import { openMailer } from '../../worker/mail/mailer.ts';
import { HANDLERS } from '../../worker/registry.ts';
import { mailSettings, openMailServer } from '../support/mail-server.ts';
import { openOwnTestApp } from '../support/own-service.ts';

const QUEUES = ['mail.reset', 'mail.send'] as const;

/** A service with mail on a database of its own, whose jobs run when the test says so. */
export async function openMailService(env: Record<string, string> = {}) {
  const server = await openMailServer();
  const service = await openOwnTestApp({ ...mailSettings(server), ...env });
  const context: JobContext = {
    ...service,
    logger: createLogger('silent', 'test'),
    embedder: null,
    mailer: openMailer(service.config),
    readingPool: null as never,
    stopping: new AbortController().signal,
    yieldAfterMs: null,
  };
  const { boss } = service.queue;
  const run = async (queue: QueueName, used = context): Promise<'done' | 'failed' | null> => {
    const [job] = await boss.fetch(queue, { includeMetadata: true });
    if (job === undefined) return null;
    try {
      await HANDLERS[queue](Object.assign(job, { signal: new AbortController().signal }) as never, used);
      return 'done';
    } catch {
      await boss.fail(queue, job.id, { message: 'it failed' });
      return 'failed';
    }
  };
  return {
    ...service,
    server,
    context,
    /** Runs all mail jobs that are due, and returns how they ended. */
    runMails: async (used = context) => {
      const ends: ('done' | 'failed')[] = [];
      for (const queue of QUEUES) {
        for (let end = await run(queue, used); end !== null; end = await run(queue, used)) ends.push(end);
      }
      return ends;
    },
    /** Runs the daily job about agent tokens. */
    remind: async () => {
      await service.queue.enqueue(service.database, 'mail.remind', {});
      return run('mail.remind');
    },
    /** Makes the retries due that wait. Returns in how many seconds the first would have come. */
    hurryRetries: async () => {
      const rows = await service.database.query<{ seconds: number }>(
        `with late as (
           select id, extract(epoch from start_after - now())::float8 as seconds from pgboss.job
            where state = 'retry' and name = any ($1)
         ), changed as (
           update pgboss.job j set start_after = now() from late where j.id = late.id
         ) select seconds from late order by seconds`,
        [QUEUES],
      );
      return rows.map(({ seconds }) => seconds);
    },
    /** Makes all that was mailed as old as if it were so many hours ago. */
    age: async (hours: number) => {
      for (const table of ['identity.mail', 'identity.reset_request']) {
        await service.database.query(
          `update ${table} set created_at = created_at - make_interval(hours => $1)`,
          [hours],
        );
      }
    },
  };
}
