import { type Static, Type } from 'typebox';
import { Body, Id, Nullable, OneOf, Text, Time, VisibleName } from './common.ts';
import { Import } from './imports.ts';

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

const count = Type.Integer();

/** What a Team stores. */
export const Usage = Type.Object({
  sources: Type.Integer({ description: 'active ones, also of archived clients' }),
  chunks: Type.Integer({ description: 'of active sources' }),
  files: Type.Integer({ description: 'live files of the workspace' }),
  bytes: Type.Integer({
    description:
      'of the texts of active sources, captures, versions of memories and versions of files, and all else that is kept',
  }),
});
const Limit = (description: string) =>
  Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), description);
/** The most that a Team can store. */
export const Quota = Type.Object(
  { chunks: Limit('null: no limit'), bytes: Limit('null: no limit') },
  { additionalProperties: false },
);
const SHOWN_TO = 'only with Full access, and not for an agent token with clientIds';
/** What a Team stores and can store. */
export const teamStorage = {
  usage: Type.Optional({ ...Usage, description: `of the whole Team; ${SHOWN_TO}` }),
  quota: Type.Optional({ ...Quota, description: `in force; ${SHOWN_TO}` }),
};
/** The quota of a Team, for the Company. */
export const teamQuota = {
  quota: Type.Optional({ ...Quota, description: 'in force; not in lists' }),
};
/** A new Team of the Company. */
export const NewTeamRequest = Body(
  {
    name: VisibleName,
    ownerEmail: Type.Optional(Text(300, 'is invited as the Owner; trimmed; case is ignored')),
    ownerUserId: Type.Optional(
      Type.String({ description: 'a member of the Company, who becomes the Owner at once' }),
    ),
  },
  'at most one of ownerEmail and ownerUserId',
);
export type NewTeamRequest = Static<typeof NewTeamRequest>;
/** What the Company changes about a Team. */
export const CompanyTeamChange = Body(
  {
    name: Type.Optional(VisibleName),
    quota: Type.Optional({ ...Quota, description: 'requires the role of Company Owner' }),
  },
  'at least one of name and quota',
);
export type CompanyTeamChange = Static<typeof CompanyTeamChange>;

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
  completedPerMinute: Type.Number({ description: 'over the last five minutes' }),
  oldestReadyAgeSeconds: Nullable(Type.Number()),
  history: Type.Array(QueueSample, {
    description:
      'the last hour, oldest first, one point per minute; minutes without a running worker are missing',
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
  chunks: Type.Object({ total: count, embedded: count, pending: count }),
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
  jobs: Type.Array(QueueStatus),
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
  ),
});
export type Status = Static<typeof Status>;
