import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Connections, Database } from '../../db/driver/database.ts';
import { UNREAD_REASONS } from '../../db/driver/unread-reasons.ts';
import type { ObjectRequests } from '../../db/objects/bucket.ts';
import type { JobCount } from '../../db/queries/jobs/job-tally.ts';
import { DURATION_BOUNDS, JOB_OUTCOMES } from '../../shared/job-outcomes.ts';
import { QUEUE_NAMES } from '../../shared/queues.ts';
import type { ServiceFigures } from './service-figures.ts';

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
