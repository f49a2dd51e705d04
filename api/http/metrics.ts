import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Dependencies } from '../../core/dependencies.ts';
import { type Connections, type Database, withoutScope } from '../../db/driver/database.ts';
import { UNREAD_REASONS } from '../../db/driver/faults.ts';
import type { ObjectRequests } from '../../db/objects/bucket.ts';
import {
  findWriteObstacle,
  type JobCount,
  listJobCounts,
  listWorkers,
  readServiceState,
  readServiceUsage,
  type ServiceState,
  type ServiceUsage,
} from '../../db/queries/status.ts';
import { countJobs, type QueueFigures } from '../../db/queue/pg-boss-figures.ts';
import type { Logger } from '../../shared/logger.ts';
import { DURATION_BOUNDS, JOB_OUTCOMES, QUEUE_NAMES, QUEUES } from '../../shared/queues.ts';
import { coalesce, withTimeout } from '../../shared/resources/async.ts';

/** Figures of the whole service from the database. They contain no data of a tenant. */
interface ServiceFigures {
  queues: readonly QueueFigures[];
  ended: readonly JobCount[];
  workers: number;
  usage: ServiceUsage;
  state: ServiceState;
  /** Who makes the vectors of chunks that have none. */
  embeddingMode: 'server' | 'client-provided';
}

/** Prometheus waits ten seconds for the whole answer. */
const DATABASE_TIMEOUT_MS = 3000;

function readFigures({
  config,
  database,
}: Pick<Dependencies, 'config' | 'database'>): Promise<ServiceFigures> {
  return withoutScope(database, async (tx) => ({
    queues: await countJobs(tx, Object.keys(QUEUES), null),
    ended: await listJobCounts(tx),
    workers: (await listWorkers(tx)).length,
    usage: await readServiceUsage(tx, config),
    state: await readServiceState(tx),
    embeddingMode: config.serverEmbeddings ? 'server' : 'client-provided',
  }));
}

/**
 * Returns what `read` returns; null if the database does not answer in time. While a read hangs, later callers wait for
 * the same read: with a read for each caller, all database connections would end up in use.
 */
function inTime<T>(logger: Logger, failed: string, read: () => Promise<T>): () => Promise<T | null> {
  const shared = coalesce(read);
  return async () => {
    try {
      return await withTimeout(DATABASE_TIMEOUT_MS, shared(), 'the database did not answer in time');
    } catch (error) {
      logger.warn({ err: error }, failed);
      return null;
    }
  };
}

type Sources = Pick<Dependencies, 'config' | 'database' | 'logger'>;

/** Reads the figures; returns null if they cannot be read in time. */
export function figuresReader({ logger, ...deps }: Sources): () => Promise<ServiceFigures | null> {
  return inTime(logger, 'the figures of the service could not be read', () => readFigures(deps));
}

/**
 * Asks whether the database can store changes; returns null if it does not answer in time. A question of its own: figures
 * that are slow do not mean that the database is down.
 */
export function writableReader({ logger, database }: Omit<Sources, 'config'>): () => Promise<boolean | null> {
  return inTime(
    logger,
    'the database did not answer',
    async () => (await database.transaction(findWriteObstacle)) === null,
  );
}

/** A metric in the format of prom-client, with values that were counted elsewhere. */
interface Recorded {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: 'sum';
  values: RecordedValue[];
}

interface RecordedValue {
  value: number;
  labels: Readonly<Record<string, string | number>>;
  /** If it differs from the name of the metric. */
  metricName?: string;
}

const gauge = (name: string, help: string, values: RecordedValue[]): Recorded => ({
  name,
  help,
  type: 'gauge',
  aggregator: 'sum',
  values,
});
const plain = (value: number): RecordedValue[] => [{ value, labels: {} }];

/** What the driver of this process knows without asking the database. */
type Driver = Pick<Database, 'connections' | 'canWrite' | 'freeBytes' | 'replica'>;

/** What the database answered to a scrape. */
export interface DatabaseAnswers {
  /** Whether it can store changes. Null: it did not answer. */
  writable: boolean | null;
  /** Null: it did not return them in time. */
  figures: ServiceFigures | null;
}

/** Metrics of the database as this process sees it. */
function databaseMetrics(driver: Driver, writable: boolean | null): Recorded[] {
  const isWritable = driver.canWrite() && writable === true;
  const free = driver.freeBytes();
  return [
    gauge(
      'memory_database_up',
      'Whether the database answered this scrape.',
      plain(writable === null ? 0 : 1),
    ),
    gauge('memory_database_writable', 'Whether the database can store changes.', plain(isWritable ? 1 : 0)),
    ...(free === null
      ? []
      : [
          gauge(
            'memory_database_free_bytes',
            'Free space on the disk of the embedded database.',
            plain(free),
          ),
        ]),
    ...poolMetrics('memory_database_pool', driver.connections()),
    ...replicaMetrics(driver.replica),
  ];
}

/** Metrics of the replica as this process sees it, if there is one. */
function replicaMetrics(replica: Database['replica']): Recorded[] {
  if (replica === undefined) return [];
  return [
    gauge('memory_replica_usable', 'Whether the replica can be read.', plain(replica.isUsable() ? 1 : 0)),
    {
      name: 'memory_replica_reads_total',
      help: 'Reads that a replica can answer, by the server that has answered, and why the primary has.',
      type: 'counter',
      aggregator: 'sum',
      values: [
        { value: replica.counts.replica, labels: { server: 'replica' } },
        ...UNREAD_REASONS.map((reason) => ({
          value: replica.counts.primary[reason],
          labels: { server: 'primary', reason },
        })),
      ],
    },
    ...poolMetrics('memory_replica_pool', replica.connections()),
  ];
}

/** Metrics of a connection pool of this process. The embedded database has none. */
function poolMetrics(pool: string, connections: Connections | null): Recorded[] {
  if (connections === null) return [];
  const { max, open, idle, waiting } = connections;
  return [
    gauge(`${pool}_max_connections`, 'Connections that the pool may open.', plain(max)),
    gauge(`${pool}_connections`, 'Connections that are open, by what they do.', [
      { value: open - idle, labels: { state: 'busy' } },
      { value: idle, labels: { state: 'idle' } },
    ]),
    gauge(
      `${pool}_waiting_requests`,
      'Statements and transactions that wait for a connection.',
      plain(waiting),
    ),
  ];
}

/** Metrics of the queues: the same figures as in `/v1/memory/status`. */
function queueMetrics({ queues, workers }: ServiceFigures): Recorded[] {
  const states = ['ready', 'deferred', 'active', 'failed'] as const;
  const depth = queues.flatMap((figures) =>
    states.map((state) => ({ value: figures[state], labels: { queue: figures.queue, state } })),
  );
  const ages = queues.map(({ queue, oldestReadyAgeSeconds }) => ({
    value: oldestReadyAgeSeconds ?? 0,
    labels: { queue },
  }));
  return [
    gauge('memory_queue_jobs', 'Jobs that are not done, by queue and state.', depth),
    gauge(
      'memory_queue_oldest_ready_age_seconds',
      'How long the oldest ready job has waited; 0 if no job waits.',
      ages,
    ),
    gauge('memory_workers', 'Workers that were seen within 30 seconds.', plain(workers)),
  ];
}

/** Metrics of the storage of all Teams together. */
function usageMetrics({ usage }: ServiceFigures): Recorded[] {
  const { sources, chunks, files, bytes, nearQuota, atQuota } = usage;
  return [
    gauge('memory_stored_sources', 'Active sources of all Teams.', plain(sources)),
    gauge('memory_stored_chunks', 'Passages of active sources of all Teams.', plain(chunks)),
    gauge('memory_stored_files', 'Live workspace files of all Teams.', plain(files)),
    gauge(
      'memory_stored_bytes',
      'Bytes that all Teams store and that count for their quotas, by what they are.',
      Object.entries(bytes).map(([part, value]) => ({ value, labels: { part } })),
    ),
    gauge('memory_teams_near_quota', 'Teams that use at least this share of a quota.', [
      { value: nearQuota, labels: { share: '0.9' } },
      { value: atQuota, labels: { share: '1' } },
    ]),
  ];
}

/** Metrics of chunks, imports and audit events that wait, in all Teams together, and of the size of the database. */
function stateMetrics({ state, embeddingMode }: ServiceFigures): Recorded[] {
  return [
    gauge('memory_pending_chunks', 'Passages that wait for a vector, by who makes it.', [
      { value: state.pendingChunks, labels: { mode: embeddingMode } },
    ]),
    gauge(
      'memory_outdated_chunks',
      'Passages of all Teams that are indexed again for the keyword search.',
      plain(state.outdatedChunks),
    ),
    gauge(
      'memory_imports',
      'Imports of all Teams, by state.',
      Object.entries(state.imports).map(([name, value]) => ({ value, labels: { state: name } })),
    ),
    gauge(
      'memory_audit_oldest_unsealed_age_seconds',
      'How long the oldest audit event without a seal has waited; 0 if all are sealed.',
      plain(state.unsealedSeconds ?? 0),
    ),
    gauge('memory_database_size_bytes', 'Size of the database on its disk.', plain(state.databaseBytes)),
  ];
}

/** Metrics of ended jobs, counted by all workers since the service was set up. */
function outcomeMetrics(ended: readonly JobCount[]): Recorded[] {
  const name = 'memory_job_duration_seconds';
  // From 0 on: Prometheus sees no increase of a series that begins with its first failure.
  const totals = new Map<string, RecordedValue>(
    QUEUE_NAMES.flatMap((queue) =>
      JOB_OUTCOMES.map((outcome) => [`${queue} ${outcome}`, { value: 0, labels: { queue, outcome } }]),
    ),
  );
  for (const { queue, outcome, jobs } of ended)
    totals.set(`${queue} ${outcome}`, { value: jobs, labels: { queue, outcome } });
  const durations = ended.flatMap(({ queue, outcome, jobs, seconds, durations: counted }) => {
    const labels = { queue, outcome };
    const buckets = [...DURATION_BOUNDS, '+Inf' as const].map((le, place) => ({
      // In Prometheus, buckets are cumulative.
      value: counted.slice(0, place + 1).reduce((total, n) => total + n, 0),
      labels: { le, ...labels },
      metricName: `${name}_bucket`,
    }));
    return [
      ...buckets,
      { value: seconds, labels, metricName: `${name}_sum` },
      { value: jobs, labels, metricName: `${name}_count` },
    ];
  });
  return [
    {
      name: 'memory_jobs_total',
      help: 'Runs of jobs that ended, by queue and outcome.',
      type: 'counter',
      aggregator: 'sum',
      values: [...totals.values()],
    },
    {
      name,
      help: 'How long runs of jobs took.',
      type: 'histogram',
      aggregator: 'sum',
      values: durations,
    },
  ];
}

/** Metrics of the requests of this process to the bucket, if it has one. */
function bucketMetrics(requests: readonly ObjectRequests[]): Recorded[] {
  if (requests.length === 0) return [];
  return [
    {
      name: 'memory_object_requests_total',
      help: 'Requests of this process to the bucket, by operation and outcome.',
      type: 'counter',
      aggregator: 'sum',
      values: requests.map(({ requests: value, ...labels }) => ({ value, labels })),
    },
  ];
}

/**
 * Metrics of the database, the bucket, the queues and the workers. Without figures, only those that need no answer of the
 * database.
 */
export function serviceMetrics(
  driver: Driver,
  { writable, figures }: DatabaseAnswers,
  objectRequests: readonly ObjectRequests[],
): Registry {
  const ofQueue =
    figures === null
      ? []
      : [
          ...queueMetrics(figures),
          ...usageMetrics(figures),
          ...stateMetrics(figures),
          ...outcomeMetrics(figures.ended),
        ];
  return AggregatorRegistry.aggregate([
    [...databaseMetrics(driver, writable), ...bucketMetrics(objectRequests), ...ofQueue],
  ]);
}

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

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** The route as registered, or `unknown`. Never the requested address, because it can contain an id. */
  route: string;
  status: number;
  seconds: number;
}

/** Counts the requests of one app. */
interface RequestMetrics {
  readonly registry: Registry;
  observe(request: AnsweredRequest): void;
  failedSignIn(): void;
  unauthenticated(): void;
}

/** Upper bounds in seconds: from a lookup, which takes milliseconds, to the largest ingest. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Each app has its own registry, because a process can have several apps. */
function requestMetrics(): RequestMetrics {
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

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics of the app's requests. */
    requestMetrics: RequestMetrics;
  }
}

/** Counts every answer. Register it before the plugins and routes that answer. */
export default fp(function metrics(app: FastifyInstance, _options: object, done: () => void) {
  const counted = requestMetrics();
  app.decorate('requestMetrics', counted);
  app.addHook('onResponse', async (request, reply) => {
    counted.observe({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
  });
  done();
});
