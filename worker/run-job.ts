import { type Span, SpanKind } from '@opentelemetry/api';
import type { Job } from 'pg-boss';
import { LostJobError } from '../db/queue/queue.ts';
import type { JobOutcome } from '../shared/job-outcomes.ts';
import { assertPayload, type QueueName } from '../shared/queues.ts';
import { readCarriedTrace, withQueue } from '../shared/tracing/carried-trace.ts';
import { inSpan, recordFailure } from '../shared/tracing/spans.ts';
import type { JobContext, JobHandler } from './context.ts';
import type { JobTally } from './tally.ts';

/**
 * Runs one job in the trace that it carries, counts its outcome and reports it to the queue. If the job was already
 * completed or released, the queue ignores this report.
 */
export function runJob<Q extends QueueName>(
  name: Q,
  handle: JobHandler<Q>,
  job: Job<never>,
  context: JobContext,
  tally: JobTally,
) {
  const { trace: carried, ...data } = (job.data ?? {}) as { trace?: unknown };
  // Without the trace, because a job can pass its data on to the next one.
  if (carried !== undefined) job.data = data as never;
  const { parent, links } = readCarriedTrace(carried);
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'memory.job.attempt': job.retryCount + 1,
  };
  return inSpan(
    `process ${name}`,
    { kind: SpanKind.CONSUMER, attributes, links },
    (span) => runInSpan(span, { name, handle, job, context, tally }),
    withQueue(parent, name),
  );
}

interface Run<Q extends QueueName> {
  name: Q;
  handle: JobHandler<Q>;
  job: Job<never>;
  context: JobContext;
  tally: JobTally;
}

async function runInSpan<Q extends QueueName>(span: Span, { name, handle, job, context, tally }: Run<Q>) {
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
    recordFailure(span, error);
    // pg-boss stores this output and shows it to operators. The error message is left out, because it can contain data.
    return { id: job.id, status: 'failed' as const, output: { message: 'see the log of the worker' } };
  } finally {
    span.setAttribute('memory.job.outcome', outcome);
    tally.count(name, outcome, (performance.now() - began) / 1000);
  }
}
