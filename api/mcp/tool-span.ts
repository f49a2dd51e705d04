import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { remoteContext } from '../../shared/tracing/carried-trace.ts';
import { inSpan } from '../../shared/tracing/spans.ts';

/**
 * Runs the call of a tool in a span. If its message names a trace in `params._meta`, the call is a part of that trace,
 * which begins in the agent, and is linked with the span of its HTTP request. Otherwise it is a part of the request.
 */
export function inToolSpan<T extends { isError?: true }>(
  message: unknown,
  tool: string,
  call: () => Promise<T>,
): Promise<T> {
  const { params } = message as { params?: { _meta?: object } };
  const ofAgent = remoteContext(params?._meta ?? {});
  const isNamed = trace.getSpan(ofAgent) !== undefined;
  const request = trace.getActiveSpan()?.spanContext();
  return inSpan(
    `tools/call ${tool}`,
    {
      kind: SpanKind.SERVER,
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool },
      links: isNamed && request !== undefined ? [{ context: request }] : [],
    },
    async (span) => {
      const result = await call();
      if (result.isError === true) span.setStatus({ code: SpanStatusCode.ERROR });
      return result;
    },
    isNamed ? ofAgent : context.active(),
  );
}
