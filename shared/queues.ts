import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';

/** Who a job acts for, and in which layer: what `jobScope` makes a scope of. */
const Origin = {
  companyId: Type.String(),
  teamId: Type.String(),
  userId: Type.String(),
};

/** How pg-boss keeps and retries the jobs of a queue. Its own defaults lose jobs: 14 days, no heartbeat. */
interface QueueSettings {
  retryLimit: number;
  retryDelay: number;
  retryBackoff: boolean;
  retryDelayMax: number;
  expireInSeconds: number;
  /** A worker silent for this long has lost the job: it goes to another. Half of the limit in the contract. */
  heartbeatSeconds: number;
  retentionSeconds: number;
  deleteAfterSeconds: number;
  notify: boolean;
  policy?: 'short';
  deadLetter?: string;
}

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

/** Every queue: what its jobs carry and how they are kept. A dead-letter queue stands before who uses it. */
export const QUEUES = {
  'import.dead': {
    payload: Type.Object({
      ...Origin,
      clientId: Type.Union([Type.String(), Type.Null()]),
      importId: Type.String(),
    }),
    settings: DURABLE,
  },
  'import.process': {
    payload: Type.Object({
      ...Origin,
      clientId: Type.Union([Type.String(), Type.Null()]),
      importId: Type.String(),
    }),
    settings: { ...DURABLE, deadLetter: 'import.dead' },
  },
  'keywords.count': {
    payload: Type.Object(Origin),
    // One waiting job a Team is enough: it counts whatever was written before it runs.
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'embed.query': {
    payload: Type.Object({
      text: Type.String(),
      /** How long the caller waits, from the job's creation on, in milliseconds. */
      patienceMs: Type.Integer(),
    }),
    // Nobody waits for a second try: who asked has given up before a lost worker is missed.
    settings: {
      ...DURABLE,
      retryLimit: 0,
      expireInSeconds: 300,
      retentionSeconds: 600,
      deleteAfterSeconds: 60,
    },
  },
  'embed.chunks': {
    payload: Type.Object({
      companyId: Type.String(),
      teamId: Type.String(),
      clientId: Type.Union([Type.String(), Type.Null()]),
    }),
    // One waiting job a layer is enough, and one more for what is new: it takes what waits for a vector when it runs.
    settings: { ...DURABLE, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'embed.waiting': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'embeddings.backfill': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'team.purge': {
    payload: Type.Object(Origin),
    // Tried for a month: given up, what a deleted Team held would stay, and no one would see it.
    settings: { ...DURABLE, retryLimit: 1000, retryDelayMax: 3600 },
  },
  'captures.release': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'audit.seal': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'workspace.prune': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
  'upkeep.prune': {
    payload: Type.Object({}),
    settings: { ...DURABLE, retryLimit: 3, deleteAfterSeconds: DAY, policy: 'short' },
  },
} as const satisfies Record<string, { payload: TSchema; settings: QueueSettings }>;

export type QueueName = keyof typeof QUEUES;
export type Payload<Q extends QueueName> = Static<(typeof QUEUES)[Q]['payload']>;

/**
 * Holds a job's payload against its schema: it becomes the scope in which the job works.
 * @throws Error naming the queue alone
 */
export function assertPayload(queue: QueueName, payload: unknown): void {
  if (!Value.Check(QUEUES[queue].payload, payload)) throw new Error(`a job of ${queue} has another payload`);
}
