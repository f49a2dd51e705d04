import type { Job } from 'pg-boss';
import { LostJobError } from '../db/queue/queue.ts';
import type { JobOutcome } from '../shared/job-outcomes.ts';
import { assertPayload, type QueueName } from '../shared/queues.ts';
import type { JobContext, JobHandler } from './context.ts';
import type { JobTally } from './tally.ts';

/**
 * Runs one job, counts its outcome and reports it to the queue. If the job was already settled or released, the queue
 * ignores this report.
 */
export async function runJob<Q extends QueueName>(
  name: Q,
  handle: JobHandler<Q>,
  job: Job<never>,
  context: JobContext,
  tally: JobTally,
) {
  const logger = context.logger.child({ queue: name, jobId: job.id });
  const began = performance.now();
  let outcome: JobOutcome = 'completed';
  const queue: JobContext['queue'] = {
    ...context.queue,
    release: async (...attempt) => {
      await context.queue.release(...attempt);
      outcome = 'given_back';
    },
    releaseAsLong: async (...attempt) => {
      await context.queue.releaseAsLong(...attempt);
      outcome = 'given_back';
    },
  };
  try {
    assertPayload(name, job.data);
    await handle(job, { ...context, queue, logger });
    logger.info({ ms: Math.round(performance.now() - began) }, 'job done');
    return { id: job.id, status: 'completed' as const };
  } catch (error) {
    outcome = error instanceof LostJobError ? 'lost' : 'failed';
    if (outcome === 'lost') logger.warn('the job was taken over by another worker');
    else logger.error({ err: error }, 'job failed');
    // pg-boss stores this output and shows it to operators. The error message is left out, because it can contain data.
    return { id: job.id, status: 'failed' as const, output: { message: 'see the log of the worker' } };
  } finally {
    tally.count(name, outcome, (performance.now() - began) / 1000);
  }
}
