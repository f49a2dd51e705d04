import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Metrics of prom-client 15 that are gauges, although Prometheus reserves the suffix `_total` for counters. Each is the sum of
 * one without the suffix.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

let registry: Registry | null = null;

/**
 * Metrics of the process: processor time, memory, garbage collection, and the delay of the event loop. Shared by all
 * apps of the process. Measured from the first call on.
 */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  return registry;
}
