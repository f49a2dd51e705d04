import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | null = null;

/**
 * Metrics of the process: processor time, memory, garbage collection, and the delay of the event loop. Shared by all
 * apps of the process. Measured from the first call on.
 */
export function processMetrics(): Registry {
  if (registry === null) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
