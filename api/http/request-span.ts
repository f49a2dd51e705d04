import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { remoteContext, startSpan } from '../../shared/tracing/spans.ts';

/** Probes and scrapes come every few seconds, from machines, and show nothing. */
const UNTRACED: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** The contexts of requests that are being answered. */
const contexts = new WeakMap<FastifyRequest, Context>();

/**
 * Makes one span of each request, in the trace that the caller sends in the header `traceparent`, or in a new one. Add
 * it before all other hooks: they and the handler run in its context.
 */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url: route } = request.routeOptions;
    if (route !== undefined && UNTRACED.has(route)) return done();
    const { method } = request;
    const parent = remoteContext({ traceparent: request.headers['traceparent'] });
    const span = startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        // The pattern of the route, because the address contains ids, and its query string what a person searched for.
        attributes: {
          'http.request.method': method,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      },
      parent,
    );
    const active = trace.setSpan(parent, span);
    contexts.set(request, active);
    // Also if the caller goes away before it is answered: then no answer is sent.
    reply.raw.once('close', () => endSpan(span, reply));
    context.with(active, done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const active = contextOf(request);
    const span = trace.getSpan(active);
    if (span !== undefined) endSpan(span, reply);
    context.with(active, done);
  });
}

/** The context of a request; that of none if it is not traced. */
function contextOf(request: FastifyRequest): Context {
  return contexts.get(request) ?? ROOT_CONTEXT;
}

function endSpan(span: Span, { statusCode, sent }: FastifyReply): void {
  // It has ended already, or is not recorded.
  if (!span.isRecording()) return;
  if (sent) span.setAttribute('http.response.status_code', statusCode);
  if (!sent || statusCode >= 500) {
    span.setAttribute('error.type', sent ? String(statusCode) : 'disconnected');
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
