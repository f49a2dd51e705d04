import { SpanKind } from '@opentelemetry/api';
import type { QueueName } from '../../shared/queues.ts';
import { type CarriedTrace, carriedTrace } from '../../shared/tracing/carried-trace.ts';
import { inStep } from '../../shared/tracing/spans.ts';

/**
 * Sends jobs as a step of the active trace.
 * @param send adds what it is given to the data of each job, so that the worker goes on with the trace
 */
export function sendTraced<T>(
  queue: QueueName,
  send: (carried: { trace?: CarriedTrace }) => Promise<T>,
): Promise<T> {
  const attributes = {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': 'send',
    'messaging.destination.name': queue,
  };
  return inStep(
    () => `send ${queue}`,
    attributes,
    () => send(carriedTrace(queue)),
    SpanKind.PRODUCER,
  );
}
