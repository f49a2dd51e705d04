import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';

/** [seconds, nanoseconds] as milliseconds. */
const toMs = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6;

/**
 * Writes spans on standard output, one line of JSON for each. The exporter of the SDK writes several lines for a span,
 * which no program could then tell from the lines of the log.
 */
class SpanLines implements SpanExporter {
  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    const lines = spans.map((span) => {
      const { traceId, spanId } = span.spanContext();
      return JSON.stringify({
        span: span.name,
        trace_id: traceId,
        span_id: spanId,
        parent_span_id: span.parentSpanContext?.spanId,
        time: new Date(toMs(span.startTime)).toISOString(),
        ms: toMs(span.duration),
        attributes: span.attributes,
      });
    });
    process.stdout.write(lines.map((line) => `${line}\n`).join(''), () => done({ code: 0 }));
  }

  async shutdown(): Promise<void> {}
}

/* The only file that loads the SDK of OpenTelemetry. It is imported when traces are recorded, and not before. */

/** The settings of traces. */
export type TraceConfig = Pick<
  Config,
  | 'otelDisabled'
  | 'traceExporter'
  | 'otlpEndpoint'
  | 'otlpTracesEndpoint'
  | 'otlpHeaders'
  | 'otelServiceName'
  | 'otelResourceAttributes'
  | 'traceSampler'
  | 'traceSamplerShare'
>;

/** An unreachable collector fails every few seconds. */
const WARN_EVERY_MS = 300_000;

const SERVICE_NAMES = { api: 'team-memory-api', worker: 'team-memory-worker', all: 'team-memory' };

/**
 * Loads the SDK for all spans of this process.
 * @returns a function that sends the last spans and stops
 */
export function startSdk(
  config: TraceConfig,
  exporter: 'otlp' | 'console',
  process: keyof typeof SERVICE_NAMES,
  logger: Logger,
): () => Promise<void> {
  setGlobalErrorHandler(warnOfFailures(logger));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': SERVICE_NAMES[process],
      'service.version': packageJson.version,
      'service.instance.id': newId(),
      ...config.otelResourceAttributes,
      ...(config.otelServiceName === null ? {} : { 'service.name': config.otelServiceName }),
    }),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: exporter === 'console' ? new SpanLines() : openOtlp(config) }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Without the propagator of baggage, which would take any text from a caller to the worker.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
}

function openOtlp({ otlpEndpoint, otlpTracesEndpoint, otlpHeaders }: TraceConfig): OTLPTraceExporter {
  return new OTLPTraceExporter({
    url: otlpTracesEndpoint ?? tracesPath(otlpEndpoint ?? 'http://localhost:4318'),
    ...(otlpHeaders === null ? {} : { headers: { ...otlpHeaders } }),
  });
}

/** The address for traces below that of the collector. */
function tracesPath(endpoint: string): string {
  return `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`;
}

function samplerOf({ traceSampler, traceSamplerShare }: TraceConfig): Sampler {
  const root = () => new TraceIdRatioBasedSampler(traceSamplerShare);
  switch (traceSampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return root();
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: root() });
  }
}

/**
 * Logs a failure of an export, and the number of those since the last line, at most every five minutes. Only the code of
 * the error is logged: its other fields can contain headers or what the collector answered.
 */
function warnOfFailures(logger: Logger): (error: unknown) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return (error) => {
    failures += 1;
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + WARN_EVERY_MS;
    const { code } = (error ?? {}) as { code?: unknown };
    logger.warn({ reason: code ?? 'unknown', failures }, 'traces cannot be sent to the collector');
    failures = 0;
  };
}
