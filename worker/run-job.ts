import { type Span, SpanKind } from '@opentelemetry/api';
import type { Job } from 'pg-boss';
import type { JobCount } from '../db/queries/status.ts';
import { LostJobError } from '../db/queue/queue.ts';
import { assertPayload, DURATION_BOUNDS, type JobOutcome, type QueueName } from '../shared/queues.ts';
import { inSpan, readCarriedTrace, recordFailure, withQueue } from '../shared/tracing/spans.ts';
import type { JobContext, JobHandler } from './context.ts';

/** Counts of job outcomes that have not been stored yet. */
export interface JobTally {
  /** Counts one job. */
  count(queue: string, outcome: JobOutcome, seconds: number): void;
  /** Returns everything that was counted, and starts again from zero. */
  drain(): JobCount[];
  /** Adds counts again that could not be stored. */
  restore(counts: readonly JobCount[]): void;
}

/** Counts jobs in memory, so that a job needs no statement. If the worker is killed, counts not stored yet are lost. */
export function jobTally(): JobTally {
  let counts = new Map<string, JobCount>();
  const add = ({ queue, outcome, jobs, seconds, durations }: JobCount) => {
    const key = `${queue} ${outcome}`;
    const known = counts.get(key);
    counts.set(key, {
      queue,
      outcome,
      jobs: jobs + (known?.jobs ?? 0),
      seconds: seconds + (known?.seconds ?? 0),
      durations: durations.map((n, place) => n + (known?.durations[place] ?? 0)),
    });
  };
  return {
    count: (queue, outcome, seconds) => {
      const bounds = [...DURATION_BOUNDS, Number.POSITIVE_INFINITY];
      const within = bounds.findIndex((bound) => seconds <= bound);
      const durations = bounds.map((_, place) => (place === within ? 1 : 0));
      add({ queue, outcome, jobs: 1, seconds, durations });
    },
    drain: () => {
      const drained = [...counts.values()];
      counts = new Map();
      return drained;
    },
    restore: (drained) => {
      for (const count of drained) add(count);
    },
  };
}

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

/** Coalesces the requests to run an action: only the last run matters. */
export interface CoalescedRuns {
  /** Runs the action now, or after the current run. All requests during a run share the next one. */
  request(): void;
  /** Resolves when nothing is running or requested. */
  done(): Promise<void>;
}

/** @param act never rejects */
export function coalesceRuns(act: () => Promise<void>): CoalescedRuns {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await act();
    } while (again);
    running = null;
  };
  return {
    request: () => {
      if (running === null) running = run();
      else again = true;
    },
    done: () => running ?? Promise.resolve(),
  };
}
