import { type Static, Type } from 'typebox';
import { Id, Nullable, OneOf, Time } from './common.ts';
import { Import } from './imports.ts';
import { Embedder } from './memory.ts';

const count = Type.Integer();

/** One point of a queue's recent past. */
const QueueSample = Type.Object({
  at: Time,
  ready: Type.Integer({ description: 'the most that waited at once' }),
  active: Type.Integer({ description: 'the most that ran at once' }),
  completed: Type.Integer({
    description: 'in this minute; of the latest half minute not all is counted yet',
  }),
  failed: Type.Integer({ description: 'for good, in this minute' }),
});

const QueueStatus = Type.Object({
  queue: Type.String(),
  ready: count,
  deferred: count,
  active: count,
  failed: count,
  completedPerMinute: Type.Number({ description: 'over the last five minutes' }),
  oldestReadyAgeSeconds: Nullable(Type.Number()),
  history: Type.Array(QueueSample, {
    description: 'of the last hour, oldest first, a point a minute; none of minutes in which no worker ran',
  }),
});
export type QueueStatus = Static<typeof QueueStatus>;

/** How the model of a worker stands. */
const EmbedderState = Type.Object({
  model: Type.String(),
  state: OneOf(['fetching', 'loading', 'ready', 'missing', 'failing']),
  fetched: Nullable(
    Type.Number({ description: 'the share of the model that is there, from 0 to 1; null unless fetching' }),
  ),
  chunksPerMinute: Type.Number({ description: 'stored with their vector, over the last minute' }),
});
export type EmbedderState = Static<typeof EmbedderState>;

export const Status = Type.Object({
  health: Type.Object({
    ok: Type.Boolean({ description: 'all of the following' }),
    database: Type.Boolean(),
    queue: Type.Boolean({
      description: 'it answers, and no job has been ready for over a minute while none runs or ends',
    }),
    worker: Type.Boolean({ description: 'a worker that reaches the queue was seen within 30 seconds' }),
  }),
  sources: Type.Object({ active: count, archived: count, byKind: Type.Record(Type.String(), count) }),
  chunks: Type.Object({ total: count, embedded: count, pending: count }),
  imports: Type.Object({
    queued: count,
    running: count,
    completed: count,
    failed: count,
    recentFailures: Type.Array(Import),
  }),
  jobs: Type.Array(QueueStatus),
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
  ),
});
export type Status = Static<typeof Status>;
