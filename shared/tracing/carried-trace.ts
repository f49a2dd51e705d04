import {
  type Context,
  context,
  createContextKey,
  type Link,
  propagation,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api';
import type { QueueName } from '../queues.ts';

/**
 * The trace in the data of a job, as a `traceparent` of W3C Trace Context: `parent` if the job is a part of that trace,
 * `follows` if it starts a trace of its own that is linked with it.
 */
export type CarriedTrace = { parent: string } | { follows: string };

const QUEUE = createContextKey('queue of the running job');

/** The context of a running job, in which `carriedTrace` knows its queue. */
export function withQueue(parent: Context, queue: QueueName): Context {
  return parent.setValue(QUEUE, queue);
}

/**
 * What a job that is enqueued now carries: nothing if no trace is active. A job that enqueues the next one of its own
 * queue is not its parent: work in many slices, such as the vectors of a large Team, would become one endless trace.
 */
export function carriedTrace(queue: QueueName): { trace?: CarriedTrace } {
  const { traceparent } = traceHeaders();
  if (traceparent === undefined) return {};
  const isNextSlice = context.active().getValue(QUEUE) === queue;
  return { trace: isNextSlice ? { follows: traceparent } : { parent: traceparent } };
}

function traceHeaders(): { traceparent?: string } {
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Takes the trace out of the data of a job: the context that its span belongs to, and its links. */
export function readCarriedTrace(carried: unknown): { parent: Context; links: Link[] } {
  const { parent, follows } = (carried ?? {}) as { parent?: unknown; follows?: unknown };
  const linked = trace.getSpanContext(remoteContext({ traceparent: follows }));
  return {
    parent: remoteContext({ traceparent: parent }),
    links: linked === undefined ? [] : [{ context: linked }],
  };
}

/** The context of the trace that headers name; an empty one if they name none, or one that is not valid. */
export function remoteContext(headers: object): Context {
  return propagation.extract(ROOT_CONTEXT, headers);
}
