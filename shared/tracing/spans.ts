import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

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
