import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

/** The agent token with which the work was requested, if it was one. */
const TokenId = Type.Union([Type.String(), Type.Null()]);
/** The Company, Team and user that a job acts for. `jobScope` makes its scope from them. */
const Origin = {
  companyId: Type.String(),
  teamId: Type.String(),
  userId: Type.String(),
};

/** How pg-boss keeps and retries the jobs of a queue. Its defaults lose jobs: 14 days, no heartbeat. */
interface QueueSettings {
  retryLimit: number;
  retryDelay: number;
  retryBackoff: boolean;
  retryDelayMax: number;
  expireInSeconds: number;
  /** After this time without a heartbeat the job goes to another worker. Half of the limit in the contract. */
  heartbeatSeconds: number;
  retentionSeconds: number;
  deleteAfterSeconds: number;
  notify: boolean;
  policy?: 'short';
  deadLetter?: string;
}

/** The definition of a queue. Every list of queues is made from these. The handlers are in worker/registry.ts. */
export interface QueueDefinition {
  /** Schema of the payload of a job. */
  payload: TSchema;
  settings: QueueSettings;
  /** How many jobs one worker runs at the same time. */
  concurrency: number;
  /**
   * How many long jobs one worker runs at the same time, in addition to the others. A job becomes long when it has
   * run for some time and another Company waits, so jobs that do not end never block all others.
   */
  longJobConcurrency?: number;
  /**
   * How many jobs of one Company one worker runs at the same time, including long ones. Jobs are grouped by Company.
   */
  concurrencyPerCompany?: number;
  /** Cron expression of a job that no request enqueues. It works on all Teams and has an empty payload. */
  schedule?: string;
  /**
   * embeddings: the jobs run only if the service makes vectors itself. model: the jobs also require that the model of
   * the worker is ready, and wait in the queue until it is.
   */
  needs?: 'embeddings' | 'model';
}

const EVERY_MINUTE = '* * * * *';
const EVERY_TEN_MINUTES = '*/10 * * * *';
const EVERY_HOUR = '27 * * * *';
const EVERY_DAY = '41 3 * * *';

/** When people begin to work in most of Europe and Africa; the mails are of the coming days, so no hour fits badly. */
const EVERY_MORNING = '11 7 * * *';

const DAY = 86_400;
const DURABLE: QueueSettings = {
  retryLimit: 10,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 900,
  heartbeatSeconds: 20,
  retentionSeconds: 3650 * DAY,
  deleteAfterSeconds: 7 * DAY,
  notify: true,
};

/**
 * A mail that the server refuses for now is sent again: first within 40 seconds, then every 15 minutes at the latest. The
 * handlers end a mail after a day, which comes before the last retry.
 */
const MAILED: QueueSettings = {
  ...DURABLE,
  retryLimit: 400,
  retryDelay: 20,
  retryDelayMax: 900,
  deleteAfterSeconds: DAY,
};

/** Every queue, in the order in which they are shown. */
export const QUEUES = {
  'import.process': {
    payload: Type.Object({
      ...Origin,
      layerId: Type.String(),
      tokenId: TokenId,
      importId: Type.String(),
    }),
    settings: { ...DURABLE, deadLetter: 'import.dead' },
    concurrency: 3,
    longJobConcurrency: 1,
    concurrencyPerCompany: 3,
  },
  'import.dead': {
    payload: Type.Object({
      ...Origin,
      layerId: Type.String(),
      tokenId: TokenId,
      importId: Type.String(),
    }),
    settings: DURABLE,
    concurrency: 1,
  },
  'file.index': {
    payload: Type.Object({
      ...Origin,
      layerId: Type.String(),
      tokenId: TokenId,
      versionId: Type.String(),
    }),
    settings: { ...DURABLE, deleteAfterSeconds: DAY, deadLetter: 'file.dead' },
    concurrency: 2,
    // A Company with files that take long does not delay those of the others.
    concurrencyPerCompany: 1,
  },
  'file.dead': {
    payload: Type.Object({
      ...Origin,
      layerId: Type.String(),
      tokenId: TokenId,
      versionId: Type.String(),
    }),
    settings: DURABLE,
    concurrency: 1,
  },
  'file.waiting': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
  },
  'keywords.count': {
    payload: Type.Object(Origin),
    // One waiting job for each Team is enough: it counts everything that was written before it runs.
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
  },
  'terms.renew': {
    payload: Type.Object(Origin),
    // One waiting job for each Team is enough: it goes over everything that is outdated when it runs.
    settings: { ...DURABLE, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
  },
  'terms.outdated': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
  },
  'embed.query': {
    payload: Type.Object({
      text: Type.String(),
      /** How long the caller waits after the job was created, in milliseconds. */
      timeoutMs: Type.Integer(),
    }),
    // No retry: the caller has given up before a missing heartbeat is noticed.
    settings: {
      ...DURABLE,
      retryLimit: 0,
      expireInSeconds: 300,
      retentionSeconds: 600,
      deleteAfterSeconds: 60,
    },
    concurrency: 4,
    needs: 'model',
  },
  'embed.chunks': {
    payload: Type.Object({
      companyId: Type.String(),
      teamId: Type.String(),
      layerId: Type.String(),
    }),
    // One waiting job for each layer is enough, and one for new chunks: it embeds all that have no vector when it runs.
    settings: { ...DURABLE, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 2,
    needs: 'model',
  },
  'embed.waiting': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
    needs: 'embeddings',
  },
  'embeddings.backfill': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_TEN_MINUTES,
  },
  'graphs.build': {
    payload: Type.Object({}),
    // The graph of a Team of some millions of chunks takes hours.
    settings: {
      ...DURABLE,
      retryLimit: 3,
      expireInSeconds: 23 * 3600,
      deleteAfterSeconds: DAY,
      policy: 'short',
    },
    concurrency: 1,
    schedule: EVERY_TEN_MINUTES,
  },
  'team.purge': {
    payload: Type.Object(Origin),
    // Retried for a month: after the last failure the data of a deleted Team would remain, and nobody would notice.
    settings: { ...DURABLE, retryLimit: 1000, retryDelayMax: 3600 },
    concurrency: 1,
  },
  'mail.send': {
    payload: Type.Object({ companyId: Type.String(), mailId: Type.String() }),
    settings: MAILED,
    concurrency: 2,
  },
  'mail.reset': {
    payload: Type.Object({ requestId: Type.String() }),
    settings: MAILED,
    concurrency: 1,
  },
  'mail.remind': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MORNING,
  },
  'captures.release': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
  },
  'records.expire': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
  },
  'audit.seal': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_MINUTE,
  },
  'audit.prune': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_HOUR,
  },
  'workspace.prune': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_HOUR,
  },
  'objects.prune': {
    // After which key the last run stopped. Absent: at the beginning.
    payload: Type.Object({ after: Type.Optional(Type.String()) }),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_DAY,
  },
  'upkeep.prune': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
    concurrency: 1,
    schedule: EVERY_TEN_MINUTES,
  },
} as const satisfies Record<string, QueueDefinition>;

export type QueueName = keyof typeof QUEUES;
/** The names of all queues, in the order of their definitions. */
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

export function queueDefinition(name: QueueName): QueueDefinition {
  return QUEUES[name];
}

/** Queues whose jobs run only while the model is ready. */
export const MODEL_QUEUES = QUEUE_NAMES.filter((name) => queueDefinition(name).needs === 'model');

/** Queues that only a service with server embeddings runs. */
export const EMBEDDING_QUEUES = QUEUE_NAMES.filter((name) => queueDefinition(name).needs !== undefined);

export type Payload<Q extends QueueName> = Static<(typeof QUEUES)[Q]['payload']>;

/**
 * Checks the payload of a job against its schema, because the payload becomes the scope in which the job works.
 * @throws Error that names the queue but does not contain the payload
 */
export function assertPayload(queue: QueueName, payload: unknown): void {
  if (!Value.Check(QUEUES[queue].payload, payload))
    throw new Error(`the payload of a job of ${queue} is not valid`);
}

/**
 * How a run of a job ended, as its worker reports it: completed; failed (a retry can follow); lost to another worker;
 * or given back to the queue because this worker stopped.
 */
export const JOB_OUTCOMES = ['completed', 'failed', 'lost', 'given_back'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/**
 * Upper bounds, in seconds, of the histogram of job durations. The tally in the database has one number for each bound,
 * and one for longer runs. Other bounds require a migration that starts a new tally.
 */
export const DURATION_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900] as const;
