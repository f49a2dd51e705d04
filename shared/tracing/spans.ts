import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { QueueName } from '../queues.ts';

/*
 * Spans are made by hand, in few places: requests, calls of tools, transactions and their statements, jobs, files that
 * are read, and texts that the model embeds. Until `startTracing` has loaded the SDK, they are no-ops.
 *
 * A span says what the service did, never about what: no content, no query, no name of a person or Team, no id.
 */

const tracer = trace.getTracer('team-memory');

/** Starts a span. The caller must end it. */
export function startSpan(name: string, options: SpanOptions, parent: Context): Span {
  return tracer.startSpan(name, options, parent);
}

/**
 * Runs `fn` in a span, which is the active one until the promise of `fn` settles.
 * @param parent what the span is a part of; by default the active span
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  fn: (span: Span) => Promise<T>,
  parent: Context = context.active(),
): Promise<T> {
  const span = tracer.startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), fn, undefined, span);
  } catch (error) {
    recordFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Runs `fn` in a span that is a step of the active one. Without an active span, or if its trace is not recorded, only
 * `fn` runs, which costs nothing: so the service's own upkeep makes no traces of single statements.
 */
export function inStep<T>(
  name: () => string,
  attributes: Attributes,
  fn: () => Promise<T>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<T> {
  if (trace.getActiveSpan()?.isRecording() !== true) return fn();
  return inSpan(name(), { attributes, kind }, fn);
}

/** Marks a span as failed. The message of the error is left out, because it can contain data. */
export function recordFailure(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const type = [code, name].find((each) => typeof each === 'string');
  span.setAttribute('error.type', type ?? '_OTHER');
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The ids of the active trace and span for a log line, by the names that OpenTelemetry gives them in logs. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}

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
