import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** [seconds, nanoseconds] as milliseconds. */
const toMs = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6;

/**
 * Writes spans on standard output, one line of JSON for each. The exporter of the SDK writes several lines for a span,
 * which no program could then tell from the lines of the log.
 */
export class SpanLines implements SpanExporter {
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
