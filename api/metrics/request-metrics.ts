import { Counter, Histogram, Registry } from 'prom-client';

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The route as registered, or `unknown`. Never the requested address, because it can contain an id. */
  route: string;
  status: number;
  seconds: number;
}

/** Counts the requests of one app. */
export interface RequestMetrics {
  readonly registry: Registry;
  observe(request: AnsweredRequest): void;
  failedSignIn(): void;
  unauthenticated(): void;
}

/** Upper bounds in seconds: from a lookup, which takes milliseconds, to the largest ingest. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Each app has its own registry, because a process can have several apps. */
export function requestMetrics(): RequestMetrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'memory_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'memory_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: BUCKETS,
    registers: [registry],
  });
  // Without labels, so that strangers cannot add time series. The log shows the addresses.
  const failedSignIns = new Counter({
    name: 'memory_failed_sign_ins_total',
    help: 'Wrong passwords.',
    registers: [registry],
  });
  const unauthenticated = new Counter({
    name: 'memory_unauthenticated_total',
    help: 'Requests without a valid token: refused with 401, or beyond the limit of their address with 429.',
    registers: [registry],
  });
  return {
    registry,
    failedSignIn: () => failedSignIns.inc(),
    unauthenticated: () => unauthenticated.inc(),
    observe: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status });
      durations.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
  };
}
