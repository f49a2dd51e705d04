import { MEMORY_STATES, type MemoryState } from '../../shared/memory-states.ts';
import type { JobOutcome } from '../../shared/queues.ts';
import type { Capture } from '../../shared/schemas/captures.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { EmbedderState } from '../../shared/schemas/status.ts';
import type { DefaultQuota, Quota } from '../../shared/settings/team-settings.ts';
import { TERMS_VERSION } from '../../shared/text/terms/terms.ts';
import {
  asWorker,
  type Database,
  type Queryable,
  type ScopedTransaction,
  type TeamTransaction,
} from '../driver/database.ts';
import { inScope, scopeValues, wireTime } from './common.ts';
import { IMPORT_COLUMNS, type ImportRow, toImport } from './imports.ts';

/** How many records there are that the scope can read. */
export interface TeamFigures {
  /** Expired records that a job has not archived yet. They count as archived in the other figures. */
  expired: number;
  sources: { active: number; archived: number; byKind: Record<string, number> };
  chunks: { total: number; embedded: number; pending: number };
  terms: { outdated: number };
  imports: { queued: number; running: number; completed: number; failed: number };
  captures: Record<Capture['state'], number>;
  memories: Record<MemoryState, number>;
}

/** The number of records of a state and kind, which are null for a part without them. Several rows must be summed. */
interface Figure {
  part: 'expired' | 'sources' | 'chunks' | 'pending' | 'outdated' | 'imports' | 'captures' | 'memories';
  state: string | null;
  kind: string | null;
  n: number;
}

/**
 * Counts the records that the scope can read, exactly: `team_figures` sums the changes that triggers recorded for the
 * layers of the claims. A capture whose lease has expired counts as staged.
 */
export async function countTeamFigures(tx: TeamTransaction): Promise<TeamFigures> {
  const figures = await tx.query<Figure>('select part, state, kind, n from memory.team_figures($1)', [
    TERMS_VERSION,
  ]);
  const of = (part: Figure['part'], state: string | null = null) =>
    figures.filter((figure) => figure.part === part && (state === null || figure.state === state));
  const sum = (rows: readonly Figure[]) => rows.reduce((total, row) => total + row.n, 0);
  const byState = <State extends string>(part: Figure['part'], states: readonly State[]) =>
    Object.fromEntries(states.map((state) => [state, sum(of(part, state))])) as Record<State, number>;
  const total = sum(of('chunks'));
  const pending = sum(of('pending'));
  return {
    expired: sum(of('expired')),
    sources: {
      ...byState('sources', ['active', 'archived']),
      byKind: sumByKind(of('sources', 'active')),
    },
    chunks: { total, embedded: total - pending, pending },
    terms: { outdated: sum(of('outdated')) },
    imports: byState('imports', ['queued', 'running', 'completed', 'failed']),
    captures: byState('captures', ['staged', 'claimed', 'completed']),
    memories: byState('memories', MEMORY_STATES),
  };
}

function sumByKind(figures: readonly Figure[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { kind, n } of figures) sums[kind ?? ''] = (sums[kind ?? ''] ?? 0) + n;
  return Object.fromEntries(Object.entries(sums).filter(([, n]) => n !== 0));
}

/** Lists the latest failed imports within the scope, newest first. */
export async function listLatestFailures(tx: TeamTransaction, limit: number): Promise<Import[]> {
  const rows = await tx.query<ImportRow>(
    `select ${IMPORT_COLUMNS} from memory.import i
      where ${inScope('i')} and i.id = any (array(select memory.latest_failures($3))) order by i.id desc`,
    [...scopeValues(tx.scope), limit],
  );
  return rows.map(toImport);
}

/** Figures of the whole service, without the data of any tenant. */
export interface ServiceState {
  /** Chunks that wait for a vector, with those of sources that are loading. */
  pendingChunks: number;
  /** Chunks whose terms a job makes again. */
  outdatedChunks: number;
  imports: Record<Import['state'], number>;
  /** How long the oldest audit event without a seal has waited. Null: all are sealed. */
  unsealedSeconds: number | null;
  databaseBytes: number;
}

/** Why the database stores no changes now: it only reads, as a replica does, or no synchronous replica confirms them. */
export type WriteObstacle = 'read_only' | 'no_synchronous_replica';

/**
 * Finds what prevents that changes are stored; null if nothing does. It runs as the connecting role, which sees its own
 * commits that wait. Which replicas are synchronous is shown only to roles that can read all statistics, but each role sees
 * whether there are any. One that has stopped without closing its connection is counted for up to a minute, and until then
 * the commits that wait are what shows it.
 */
export async function findWriteObstacle(database: Pick<Database, 'query'>): Promise<WriteObstacle | null> {
  const [row] = await database.query<{ obstacle: WriteObstacle | null }>(
    `select case
       when pg_is_in_recovery() then 'read_only'
       when current_setting('synchronous_standby_names') <> ''
            and current_setting('synchronous_commit') in ('on', 'remote_write', 'remote_apply')
            and (not exists (select from pg_stat_replication)
                 or exists (select from pg_stat_activity where wait_event = 'SyncRep'
                               and query_start < clock_timestamp() - interval '5 seconds'))
         then 'no_synchronous_replica'
       when current_setting('transaction_read_only') = 'on' then 'read_only' end as obstacle`,
  );
  if (row === undefined) throw new Error('the state of the database was not returned');
  return row.obstacle;
}

/** Reads figures of the whole service. Needs no scope, because they show no data of a tenant. */
export async function readServiceState(tx: Queryable): Promise<ServiceState> {
  const [row] = await tx.query<Omit<ServiceState, 'imports'> & { imports: Partial<ServiceState['imports']> }>(
    `select s.pending_chunks as "pendingChunks", memory.outdated_chunks($1) as "outdatedChunks",
            s.imports, s.unsealed_seconds as "unsealedSeconds", s.database_bytes as "databaseBytes"
       from memory.service_state() s`,
    [TERMS_VERSION],
  );
  if (row === undefined) throw new Error('the state of the service was not returned');
  return {
    ...row,
    imports: { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0, ...row.imports },
  };
}

/** Counts the chunks of the whole service that wait for a vector. Needs no scope, because it shows no data of a tenant. */
export async function countPendingChunks(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ n: number }>('select s.pending_chunks as n from memory.service_state() s');
  if (row === undefined) throw new Error('the state of the service was not returned');
  return row.n;
}

/** What a Team stores. */
export interface Usage {
  /** Active ones. */
  sources: number;
  /** Of active sources. */
  chunks: number;
  /** Live ones of the workspace. */
  files: number;
  /** Of texts, captures, versions of memories and of files, and all else that is kept. */
  bytes: number;
}

/** What a Team stores, what the transaction has added to it, and its quota. */
export interface TeamUsage {
  usage: Usage;
  added: { chunks: number; bytes: number };
  /** Null: no Company Owner has set one. */
  quota: Quota | null;
}

/** Reads the usage and the quota of the whole Team of the scope, with what this transaction has written. */
export async function findTeamUsage(tx: TeamTransaction): Promise<TeamUsage> {
  const [row] = await tx.query<
    Usage & { addedChunks: number; addedBytes: number; quotaSet: boolean } & Record<
        'quotaChunks' | 'quotaBytes',
        number | null
      >
  >(
    `select u.sources, u.chunks, u.files, u.bytes, u.added_chunks as "addedChunks", u.added_bytes as "addedBytes",
            t.quota_set as "quotaSet", t.quota_chunks as "quotaChunks", t.quota_bytes as "quotaBytes"
       from identity.team t cross join memory.team_usage() u where t.company_id = $1 and t.id = $2`,
    [tx.scope.companyId, tx.scope.teamId],
  );
  if (row === undefined) throw new Error('the Team does not exist');
  const { sources, chunks, files, bytes } = row;
  return {
    usage: { sources, chunks, files, bytes },
    added: { chunks: row.addedChunks, bytes: row.addedBytes },
    quota: row.quotaSet ? { chunks: row.quotaChunks, bytes: row.quotaBytes } : null,
  };
}

/** Returns the quota that was set for a Team of the Company; null: none. */
export async function findQuota(tx: ScopedTransaction, teamId: string): Promise<Quota | null> {
  const [row] = await tx.query<Quota>(
    `select quota_chunks as chunks, quota_bytes as bytes from identity.team
      where company_id = $1 and id = $2 and quota_set`,
    [tx.scope.companyId, teamId],
  );
  return row ?? null;
}

/** Sets the quota of a Team. Lock it before. */
export async function updateQuota(tx: ScopedTransaction, teamId: string, quota: Quota): Promise<void> {
  await tx.query(
    `update identity.team set quota_set = true, quota_chunks = $3, quota_bytes = $4
      where company_id = $1 and id = $2 and deleted_at is null`,
    [tx.scope.companyId, teamId, quota.chunks, quota.bytes],
  );
}

/** What all Teams store together, without the names of any. */
export interface ServiceUsage extends Omit<Usage, 'bytes'> {
  /** By what they are: texts, captures, versions, files and others. */
  bytes: Record<string, number>;
  /** Teams that use at least 90 % of a quota. */
  nearQuota: number;
  /** Teams that use all of a quota. */
  atQuota: number;
}

/** Reads what all Teams store together. Needs no scope, because it shows no data of a tenant. */
export async function readServiceUsage(
  tx: Queryable,
  { teamMaxChunks, teamMaxBytes }: DefaultQuota,
): Promise<ServiceUsage> {
  const [row] = await tx.query<ServiceUsage>(
    `select sources, chunks, files, bytes, near_quota as "nearQuota", at_quota as "atQuota"
       from memory.service_usage($1, $2)`,
    [teamMaxChunks, teamMaxBytes],
  );
  if (row === undefined) throw new Error('the usage of the service was not returned');
  return row;
}

/** A worker process, as it reports itself. */
export interface WorkerRecord {
  id: string;
  startedAt: string;
  lastSeenAt: string;
  queues: string[];
  rssBytes: number;
  /** The state of its model; null if it makes no vectors. */
  embedder: EmbedderState | null;
}

/** A worker whose last heartbeat is older than this counts as stopped. Workers send one every ten seconds. */
const ALIVE_SECONDS = 30;

/** Stores the heartbeat of a worker, and deletes workers without a heartbeat for an hour. Not the data of a tenant. */
export async function recordWorker(
  database: Database,
  worker: Pick<WorkerRecord, 'id' | 'rssBytes' | 'embedder'> & { queues: readonly string[] },
): Promise<void> {
  await asWorker(database, async (tx) => {
    await tx.query(
      `insert into memory.worker (id, queues, rss_bytes, embedder) values ($1, $2, $3, $4::jsonb)
       on conflict (id) do update
         set last_seen_at = now(), rss_bytes = excluded.rss_bytes, embedder = excluded.embedder`,
      [
        worker.id,
        worker.queues,
        worker.rssBytes,
        worker.embedder === null ? null : JSON.stringify(worker.embedder),
      ],
    );
    await tx.query(`delete from memory.worker where last_seen_at < now() - interval '1 hour'`);
  });
}

/** Deletes a worker, because it has stopped. */
export async function deleteWorker(database: Database, id: string): Promise<void> {
  await asWorker(database, (tx) => tx.query('delete from memory.worker where id = $1', [id]));
}

/** Lists the running workers. */
export async function listWorkers(tx: Queryable): Promise<WorkerRecord[]> {
  const rows = await tx.query<
    Omit<WorkerRecord, 'startedAt' | 'lastSeenAt'> & { startedAt: Date; lastSeenAt: Date }
  >(
    `select id, started_at as "startedAt", last_seen_at as "lastSeenAt", queues, rss_bytes as "rssBytes",
            embedder
       from memory.worker where last_seen_at > now() - make_interval(secs => $1) order by started_at, id`,
    [ALIVE_SECONDS],
  );
  return rows.map((row) => ({
    ...row,
    startedAt: wireTime(row.startedAt),
    lastSeenAt: wireTime(row.lastSeenAt),
  }));
}

/** The jobs of a queue with one outcome. */
export interface JobCount {
  queue: string;
  outcome: JobOutcome;
  jobs: number;
  /** How long they took in total. */
  seconds: number;
  /** A histogram: the number of jobs for each of DURATION_BOUNDS, and the number of longer jobs. */
  durations: number[];
}

/** Adds counts to the counts of all workers. Not the data of a tenant, so there is no scope. */
export async function addJobCounts(database: Database, counts: readonly JobCount[]): Promise<void> {
  if (counts.length === 0) return;
  await asWorker(database, (tx) =>
    tx.query(
      // Ordered, to prevent a deadlock between two workers.
      `insert into memory.job_tally as t (queue, outcome, jobs, seconds, durations)
     select c.queue, c.outcome, c.jobs, c.seconds, c.durations
       from jsonb_to_recordset($1::jsonb) as c (queue text, outcome text, jobs bigint, seconds float8, durations bigint[])
      order by c.queue, c.outcome
     on conflict (queue, outcome) do update
       set jobs = t.jobs + excluded.jobs, seconds = t.seconds + excluded.seconds,
           durations = (select array_agg(u.old + u.new order by u.place)
                          from unnest(t.durations, excluded.durations) with ordinality as u (old, new, place))`,
      [JSON.stringify(counts)],
    ),
  );
}

/** Returns the counts of all workers since the first start. */
export async function listJobCounts(tx: Queryable): Promise<JobCount[]> {
  return tx.query<JobCount>(
    'select queue, outcome, jobs, seconds, durations from memory.job_tally order by queue, outcome',
  );
}
