import { type Static, Type } from 'typebox';
import { Id, Nullable, OneOf, Time } from './common.ts';
import { Import } from './imports.ts';
import { count, teamStorage } from './teams.ts';

export const Embedder = Type.Object({
  mode: OneOf(['client-provided', 'server']),
  model: Type.String(),
  dim: Type.Integer(),
  serverModeEnabled: Type.Boolean(),
  problem: Type.Optional(
    Type.String({
      description:
        'why no worker makes vectors at the moment, if the service makes them itself; until then searches use only ' +
        'keywords',
    }),
  ),
});
export const Health = Type.Object({
  ok: Type.Boolean(),
  version: Type.String({ description: 'of the service' }),
  commit: Nullable(Type.String(), 'that the service was made from; null if it is not known'),
  backend: OneOf(['postgres', 'pglite']),
  embedder: Embedder,
});

/** One minute in the history of a queue. */
const QueueSample = Type.Object({
  at: Time,
  ready: Type.Integer({ description: 'the most jobs that waited at the same time' }),
  active: Type.Integer({ description: 'the most jobs that ran at the same time' }),
  completed: Type.Integer({
    description: 'jobs completed in this minute; those of the last half minute may not be counted yet',
  }),
  failed: Type.Integer({ description: 'jobs that failed in this minute and are not retried' }),
});

const QueueStatus = Type.Object({
  queue: Type.String(),
  ready: count,
  deferred: count,
  active: count,
  failed: count,
  completedPerMinute: Type.Number({
    description: 'over the last five minutes; 0 where the service has several Companies',
  }),
  oldestReadyAgeSeconds: Nullable(Type.Number()),
  history: Type.Array(QueueSample, {
    description:
      'the last hour, oldest first, one point per minute; minutes without a running worker are missing. Empty where the ' +
      'service has several Companies',
  }),
});
export type QueueStatus = Static<typeof QueueStatus>;

/** The state of the model in a worker. */
const EmbedderState = Type.Object({
  model: Type.String(),
  state: OneOf(['fetching', 'loading', 'ready', 'missing', 'failing']),
  fetched: Nullable(
    Type.Number({
      description: 'downloaded share of the model, from 0 to 1; null unless the state is fetching',
    }),
  ),
  fetchSecondsLeft: Type.Optional(
    Nullable(
      Type.Integer({
        description: 'how long the rest of the download takes, in seconds; null while it is not known',
      }),
    ),
  ),
  chunksPerMinute: Type.Number({ description: 'passages stored with a vector in the last minute' }),
});
export type EmbedderState = Static<typeof EmbedderState>;

export const Status = Type.Object({
  health: Type.Object({
    ok: Type.Boolean({ description: 'true if all of the following are true' }),
    database: Type.Boolean(),
    queue: Type.Boolean({
      description:
        'the queue answers, and no queue has a job that has been ready for over a minute while none runs or ends',
    }),
    worker: Type.Boolean({
      description: 'a worker that can reach the queue was seen within the last 30 seconds',
    }),
  }),
  expired: Type.Integer({
    description: 'records that have expired and that a job has not archived yet; they count as archived',
  }),
  sources: Type.Object({ active: count, archived: count, byKind: Type.Record(Type.String(), count) }),
  chunks: Type.Object({
    total: count,
    embedded: count,
    pending: count,
    secondsLeft: Type.Optional(
      Type.Integer({
        description:
          'how long until all passages of the service have a vector at the rate of the last minute, so those of the ' +
          'Team have theirs by then; only with Full access, while passages of the Team wait and the rate is known, and ' +
          'where the service has one Company',
      }),
    ),
  }),
  terms: Type.Object({
    outdated: Type.Integer({
      description:
        'passages that a job is indexing again for the keyword search; until then they have their earlier terms',
    }),
  }),
  imports: Type.Object({
    queued: count,
    running: count,
    completed: count,
    failed: count,
    recentFailures: Type.Array(Import),
  }),
  jobs: Type.Array(QueueStatus, {
    description:
      'only with Full access. Where the service has several Companies, only jobs of yours are counted, except for MEMORY_API_TOKEN',
  }),
  ...teamStorage,
  captures: Type.Object({ staged: count, claimed: count, completed: count }),
  memories: Type.Object({ review: count, published: count, discarded: count, archived: count }),
  embedder: Embedder,
  workers: Type.Array(
    Type.Object({
      id: Id,
      startedAt: Time,
      lastSeenAt: Time,
      queues: Type.Array(Type.String()),
      rssBytes: Type.Integer(),
      embedder: Nullable(EmbedderState),
    }),
    {
      description:
        'only with Full access. Where the service has several Companies, `queues` is empty, `rssBytes` and `chunksPerMinute` ' +
        'are 0, and `startedAt` is `lastSeenAt`, except for MEMORY_API_TOKEN',
    },
  ),
});
export type Status = Static<typeof Status>;
